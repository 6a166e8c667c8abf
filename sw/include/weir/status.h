// SPDX-License-Identifier: Apache-2.0
// What a call came to. Every public function returns one of these; weir_dev.message says more in words.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_status {
    WEIR_OK = 0,
    // the way to the device
    WEIR_E_BUS,            ///< the bus answered an access with an error
    WEIR_E_TIMEOUT,        ///< the device did not do in time what was polled for
    WEIR_E_RESET_TIMEOUT,  ///< soft reset did not end
    WEIR_E_INIT_TIMEOUT,   ///< memories were not cleared, or the core did not get ready
    WEIR_E_DEVICE,         ///< another device id
    WEIR_E_VERSION,        ///< another major version of the map, or another map
    WEIR_E_SCRATCH,        ///< the scratch register did not keep a pattern: wiring or byte order
    WEIR_E_CLOCK,          ///< no core clock
    WEIR_E_NOT_STARTED,    ///< weir_device_start has not succeeded
    // what the service finds
    WEIR_E_STORM,           ///< an interrupt that comes again as soon as it is cleared
    WEIR_E_LOST_INTERRUPT,  ///< a cause was pending, and no interrupt had come
    WEIR_E_FLAPPING,        ///< a link that goes up and down
    WEIR_E_PFC_STORM,       ///< a peer that does not let a queue go
    WEIR_E_CONFORMANCE,     ///< a peer that does not stop, or a lossless class that lost a frame
    WEIR_E_MALFORMED,       ///< a peer that sends PFC frames which are none
    WEIR_E_CORRECTED,       ///< a memory had a bit error; it was corrected
    WEIR_E_ECC,             ///< a memory had a bit error that cannot be corrected
    // what was asked for
    WEIR_E_RANGE,         ///< an index or value that this chip does not have
    WEIR_E_BUDGET,        ///< the packet memory would be over-committed (R9)
    WEIR_E_THRESHOLD,     ///< thresholds in a wrong order (XON >= XOFF, min > max)
    WEIR_E_POOL,          ///< a pool that does not exist or is of the other direction
    WEIR_E_RATE,          ///< a rate that 802.3 or this port does not have
    WEIR_E_BURST,         ///< a shaper's burst below the longest frame (G8)
    WEIR_E_UNSUPPORTED,   ///< global.features says no
    WEIR_E_CONFLICT,      ///< two settings that exclude each other
    WEIR_E_JOURNAL_FULL,  ///< one step would change more registers than can be rolled back
    // tables, frames, flush
    WEIR_E_NOT_FOUND,      ///< no such entry
    WEIR_E_TABLE_FULL,     ///< the table holds no more
    WEIR_E_BAD_KEY,        ///< the device refused the key
    WEIR_E_BUSY,           ///< the device is doing something else
    WEIR_E_FLUSH_TIMEOUT,  ///< the port's queues did not empty
    WEIR_E_NO_FRAME,       ///< no frame is waiting
    WEIR_E_FRAME,          ///< the frame was refused, or does not fit the caller's buffer
    // NOS objects
    WEIR_E_OBJECT_IN_USE,      ///< something still refers to the object
    WEIR_E_NO_OBJECT,          ///< no object has this id
    WEIR_E_CREATE_ONLY,        ///< the attribute can be given at creation only
    WEIR_E_READ_ONLY,          ///< the attribute cannot be set
    WEIR_E_MANDATORY_MISSING,  ///< a mandatory attribute was not given at creation
    WEIR_E_NO_ATTRIBUTE,       ///< this kind of object does not have the attribute or statistic
    WEIR_E_NO_RESOURCES,       ///< no more objects of this kind
    // shell
    WEIR_E_SYNTAX,   ///< a line that is no command
    WEIR_E_CONTEXT,  ///< a command that belongs into another context
    // strict mock
    WEIR_E_UNEXPECTED,  ///< an access that the script did not foresee
    WEIR_STATUS_COUNT
} weir_status;

/// A short text, never null: "the packet memory would be over-committed".
const char* weir_status_text(weir_status status);

#ifdef __cplusplus
}
#endif
