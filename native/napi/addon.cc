#include <napi.h>

#include "napi/exports.h"
#include "napi/worker.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  procscope::binding::prepare_environment(env);
  procscope::binding::export_processes(env, exports);
  procscope::binding::export_look(env, exports);
  procscope::binding::export_files(env, exports);
  procscope::binding::export_sockets(env, exports);
  procscope::binding::export_usage(env, exports);
  procscope::binding::export_sampler(env, exports);
  procscope::binding::export_poller(env, exports);
  return exports;
}

NODE_API_MODULE(procscope, Init)
