// What a build without a reader of its own links instead.
#if defined(PROCSCOPE_PLATFORM_UNSUPPORTED)

#include "platform/files.h"
#include "platform/reader.h"
#include "platform/thread.h"

#include <system_error>
#include <thread>

namespace procscope {

std::unique_ptr<Reader> make_reader(ReaderOptions) { return make_unsupported_reader(); }

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

}  // namespace procscope

#endif
