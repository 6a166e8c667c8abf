// SPDX-License-Identifier: Apache-2.0
// Steps of bring-up that taking over a running device needs too.
#pragma once

#include "sw/include/weir/device.h"

void weir_device_timing_defaults(struct weir_timing* t);
/// Refuses another device, another map.
weir_status weir_device_identify(struct weir_dev* dev);
/// Fills in dev->caps.
weir_status weir_device_capabilities(struct weir_dev* dev);
