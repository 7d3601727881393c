#include "platform/reader.h"

namespace procscope {

namespace {

/// Stands where a system has no reader yet: every answer says so, and nothing looks like an empty
/// table.
class UnsupportedReader final : public Reader {
 public:
  FieldMask supported() const override { return 0; }
  bool may_wait(FieldMask) const override { return false; }
  Result<std::monostate> prepare(Watch&) override { return refuse(); }
  const std::string& boot_id() const override { return boot_id_; }
  Result<std::monostate> list(std::vector<int32_t>&, Watch&) const override { return refuse(); }

  RowOutcome read(int32_t pid, const RowPlan& plan, RowDraft& draft, Watch&) const override {
    draft.start(pid);
    draft.fail(plan.fields, FaultKind::kUnsupported, Call::kQuery, 0);
    return RowOutcome::kRow;
  }

  std::string path_of(int32_t pid, Field) const override { return "pid " + std::to_string(pid); }

 private:
  static Fault refuse() { return {FaultKind::kUnsupported, 0, Call::kQuery, "process table"}; }

  std::string boot_id_;
};

}  // namespace

std::unique_ptr<Reader> make_unsupported_reader() { return std::make_unique<UnsupportedReader>(); }

}  // namespace procscope
