#include "platform/reader.h"

#include "platform/sockets.h"

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

  std::unique_ptr<KeptRow> keep(int32_t) const override { return std::make_unique<KeptRow>(); }
  RowOutcome glance(KeptRow&, FieldMask, Budget&, RowDraft&) const override {
    return RowOutcome::kVanished;
  }

  std::string path_of(int32_t pid, Field) const override { return "pid " + std::to_string(pid); }

 private:
  static Fault refuse() { return {FaultKind::kUnsupported, 0, Call::kQuery, "process table"}; }

  std::string boot_id_;
};

class UnsupportedSocketReader final : public SocketReader {
 public:
  [[nodiscard]] bool may_wait() const override { return false; }
  Result<std::monostate> prepare(Watch&) override { return refuse(); }
  [[nodiscard]] std::vector<SocketList> lists() const override { return {}; }
  SocketBatch read(const SocketList&, size_t, Watch&) const override { return {}; }
  [[nodiscard]] std::string path_of(const SocketList&) const override { return "sockets"; }
  Result<std::monostate> list_pids(std::vector<int32_t>&, Watch&) const override {
    return refuse();
  }
  Fault descriptors(int32_t, std::vector<SocketDescriptor>&, Watch&) const override {
    return refuse();
  }
  [[nodiscard]] bool shows_everybody(const std::vector<int32_t>&) const override { return false; }

 private:
  static Fault refuse() { return {FaultKind::kUnsupported, 0, Call::kQuery, "sockets"}; }
};

}  // namespace

std::unique_ptr<SocketReader> make_unsupported_socket_reader() {
  return std::make_unique<UnsupportedSocketReader>();
}

std::unique_ptr<Reader> make_unsupported_reader() { return std::make_unique<UnsupportedReader>(); }

}  // namespace procscope
