// What a build without a reader of its own links instead.
#if defined(PROCSCOPE_PLATFORM_UNSUPPORTED)

#include "platform/descriptors.h"
#include "platform/files.h"
#include "platform/reader.h"
#include "platform/sockets.h"
#include "platform/thread.h"

#include <chrono>
#include <system_error>
#include <thread>

namespace procscope {

std::unique_ptr<Reader> make_reader(ReaderOptions) { return make_unsupported_reader(); }

double uptime_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

namespace {

class UnsupportedDescriptorReader final : public DescriptorReader {
 public:
  Result<std::monostate> prepare(Watch&) override { return refuse(); }
  bool may_wait() const override { return false; }
  Result<std::monostate> list(std::vector<int32_t>&, Watch&) const override { return refuse(); }
  RowOutcome read(int32_t, const FilesPlan&, const Avoid&, FilesDraft&, Watch&) const override {
    return RowOutcome::kVanished;
  }
  Result<std::monostate> read_locks(Table<LockRow>&, Watch&) const override { return refuse(); }

 private:
  static Fault refuse() { return {FaultKind::kUnsupported, 0, Call::kQuery, "open files"}; }
};

}  // namespace

std::unique_ptr<DescriptorReader> make_descriptor_reader(ReaderOptions) {
  return std::make_unique<UnsupportedDescriptorReader>();
}

std::string remote_mount_of(const std::string&) { return {}; }

std::unique_ptr<SocketReader> make_socket_reader(SocketQuery) {
  return make_unsupported_socket_reader();
}

FileAnswer look_at(const FileRequest& request, Watch&) {
  FileAnswer answer;
  answer.fault = {FaultKind::kUnsupported, 0, Call::kQuery, request.path};
  return answer;
}

int start_thread(std::function<void()> body) {
  try {
    std::thread(std::move(body)).detach();
  } catch (const std::system_error& error) {
    return error.code().value() != 0 ? error.code().value() : 1;
  }
  return 0;
}

double thread_cpu() { return 0; }

}  // namespace procscope

#endif
