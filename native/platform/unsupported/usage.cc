#include "platform/usage.h"

namespace procscope {

namespace {

Fault refuse() { return {FaultKind::kUnsupported, 0, Call::kQuery, "usage"}; }

class UnsupportedUsageReader final : public UsageReader {
 public:
  bool may_wait(FieldMask) const override { return false; }
  Result<std::monostate> prepare(Watch&) override { return refuse(); }
  RowOutcome read(int32_t pid, const RowPlan& plan, UsageDraft& draft, Watch&) const override {
    draft.start(pid);
    draft.fail_all(plan.fields, FaultKind::kUnsupported, Call::kQuery, 0);
    return RowOutcome::kRow;
  }
};

}  // namespace

std::unique_ptr<UsageReader> make_unsupported_usage_reader() {
  return std::make_unique<UnsupportedUsageReader>();
}

#if defined(PROCSCOPE_PLATFORM_UNSUPPORTED)

namespace {

class UnsupportedMachine final : public UsageMachine {
 public:
  const std::string& root() const override { return root_; }
  Result<std::unique_ptr<UsageProbe>> open(int32_t) override { return refuse(); }
  std::optional<int64_t> last_pid() override { return std::nullopt; }
  Result<std::monostate> list(std::vector<int32_t>&) override { return refuse(); }
  uint64_t now_key() const override { return 0; }
  double tick() const override { return 0; }

 private:
  const std::string root_;
};

}  // namespace

std::unique_ptr<UsageReader> make_usage_reader(std::string) {
  return make_unsupported_usage_reader();
}

std::unique_ptr<UsageMachine> make_usage_machine() {
  return std::make_unique<UnsupportedMachine>();
}

#endif

}  // namespace procscope
