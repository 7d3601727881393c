#include "platform/process_events.h"

namespace procscope {

namespace {

class NoProcessEvents final : public ProcessEvents {
 public:
  EventSource source() const override { return EventSource::kNone; }
  void take(ProcessNews& news, double) override { news.clear(); }
  HoldOutcome hold(int32_t, std::unique_ptr<ProcessHold>&) override {
    return HoldOutcome::kRefused;
  }
  void take_ended(std::vector<int32_t>&) override {}
};

}  // namespace

std::unique_ptr<ProcessEvents> make_no_process_events() {
  return std::make_unique<NoProcessEvents>();
}

#if defined(PROCSCOPE_PLATFORM_UNSUPPORTED)

std::unique_ptr<ProcessEvents> make_process_events(const std::string&, EventSource, Budget&) {
  return make_no_process_events();
}

Fault event_source_fault(EventSource) {
  return {FaultKind::kUnsupported, 0, Call::kQuery, "process events"};
}

int usual_descriptor_budget() { return 0; }

#endif

}  // namespace procscope
