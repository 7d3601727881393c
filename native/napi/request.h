#pragma once

#include <napi.h>

#include <chrono>
#include <vector>

#include "platform/files.h"
#include "poll/files.h"
#include "poll/poller.h"
#include "poll/sampler.h"
#include "poll/snapshot.h"
#include "poll/sockets.h"
#include "poll/usage.h"

namespace procscope::binding {

/// Requests as lib/native/binding.ts types them. lib/ has checked every option and named the wrong
/// ones; what is wrong here is a bug of lib/ and throws a TypeError.
SnapshotRequest snapshot_request(const Napi::Value& value);
FilesRequest files_request(const Napi::Value& value);
SocketsRequest sockets_request(const Napi::Value& value);
std::vector<FileRequest> file_requests(const Napi::Value& value);
UsageRequest usage_request(const Napi::Value& value);
SamplerRequest sampler_request(const Napi::Value& value);
PollRequest poll_request(const Napi::Value& value);
std::chrono::milliseconds milliseconds_of(const Napi::Value& value);

}  // namespace procscope::binding
