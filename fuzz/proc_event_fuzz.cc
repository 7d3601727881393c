#include "parse/proc_event.h"

#include <string>

#include "fuzz.h"

using procscope::ProcEvent;
using procscope::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message = procscope::fuzz::text(data, size);
  const auto event = procscope::parse_proc_event(message);
  if (!event) {
    return 0;
  }
  // An answer names no process, and only an answer has a code.
  if (event->kind == ProcEvent::Kind::kAnswer) {
    require(event->pid == 0 && event->tgid == 0);
  } else {
    require(event->code == 0);
  }
  // What follows the message in a larger buffer changes nothing.
  const std::string longer = std::string(message) + "tail";
  const auto again = procscope::parse_proc_event(longer);
  require(again && again->kind == event->kind && again->pid == event->pid &&
          again->tgid == event->tgid);
  return 0;
}
