// SPDX-License-Identifier: Apache-2.0
// The texts of the status codes.
#include "sw/include/weir/status.h"

const char* weir_status_text(weir_status status) {
    switch (status) {
        case WEIR_OK:
            return "done";
        case WEIR_E_BUS:
            return "bus error";
        case WEIR_E_TIMEOUT:
            return "the device did not answer in time";
        case WEIR_E_RESET_TIMEOUT:
            return "soft reset did not end";
        case WEIR_E_INIT_TIMEOUT:
            return "initialisation did not end";
        case WEIR_E_DEVICE:
            return "unknown device";
        case WEIR_E_VERSION:
            return "the driver was built for another register map";
        case WEIR_E_SCRATCH:
            return "the scratch register does not keep what is written";
        case WEIR_E_CLOCK:
            return "no core clock";
        case WEIR_E_NOT_STARTED:
            return "the device is not up";
        case WEIR_E_STORM:
            return "an interrupt does not stop coming";
        case WEIR_E_LOST_INTERRUPT:
            return "a cause was pending without an interrupt";
        case WEIR_E_FLAPPING:
            return "a link goes up and down";
        case WEIR_E_PFC_STORM:
            return "a peer does not let a queue go";
        case WEIR_E_CONFORMANCE:
            return "a peer does not stop";
        case WEIR_E_MALFORMED:
            return "malformed PFC frames";
        case WEIR_E_CORRECTED:
            return "a memory error was corrected";
        case WEIR_E_ECC:
            return "a memory error cannot be corrected";
        case WEIR_E_RANGE:
            return "out of range";
        case WEIR_E_BUDGET:
            return "the packet memory would be over-committed";
        case WEIR_E_THRESHOLD:
            return "thresholds in a wrong order";
        case WEIR_E_POOL:
            return "wrong pool";
        case WEIR_E_RATE:
            return "not a rate of this port";
        case WEIR_E_BURST:
            return "burst below the longest frame";
        case WEIR_E_UNSUPPORTED:
            return "not supported by this device";
        case WEIR_E_CONFLICT:
            return "two settings exclude each other";
        case WEIR_E_JOURNAL_FULL:
            return "too many registers in one step";
        case WEIR_E_NOT_FOUND:
            return "no such entry";
        case WEIR_E_TABLE_FULL:
            return "the table is full";
        case WEIR_E_BAD_KEY:
            return "the device refused the key";
        case WEIR_E_BUSY:
            return "the device is busy";
        case WEIR_E_FLUSH_TIMEOUT:
            return "the port's queues did not empty";
        case WEIR_E_NO_FRAME:
            return "no frame is waiting";
        case WEIR_E_FRAME:
            return "the frame was refused";
        case WEIR_E_OBJECT_IN_USE:
            return "the object is in use";
        case WEIR_E_NO_OBJECT:
            return "no such object";
        case WEIR_E_CREATE_ONLY:
            return "the attribute can be given at creation only";
        case WEIR_E_READ_ONLY:
            return "the attribute is read-only";
        case WEIR_E_MANDATORY_MISSING:
            return "a mandatory attribute is missing";
        case WEIR_E_NO_ATTRIBUTE:
            return "no such attribute";
        case WEIR_E_NO_RESOURCES:
            return "no more objects of this kind";
        case WEIR_E_SYNTAX:
            return "not a command";
        case WEIR_E_CONTEXT:
            return "the command belongs into another context";
        case WEIR_E_UNEXPECTED:
            return "unexpected access";
        case WEIR_STATUS_COUNT:
            break;
    }
    return "unknown status";
}
