// SPDX-License-Identifier: Apache-2.0
// What a second worker brings to a study.
#pragma once

namespace weir::vp {

/// Prints a line: the time of a study with one worker over twice its time with two, the median of `rounds`. Wall clock,
/// because two processes on two cores are what is measured.
void measure_workers(int rounds);

}  // namespace weir::vp
