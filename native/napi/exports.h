#pragma once

#include <napi.h>

/// What each room of this floor adds to the module. One room a question; addon.cc calls them all.
namespace procscope::binding {

void export_processes(Napi::Env env, Napi::Object exports);
void export_look(Napi::Env env, Napi::Object exports);
void export_files(Napi::Env env, Napi::Object exports);
void export_sockets(Napi::Env env, Napi::Object exports);
void export_usage(Napi::Env env, Napi::Object exports);
void export_sampler(Napi::Env env, Napi::Object exports);
void export_poller(Napi::Env env, Napi::Object exports);

}  // namespace procscope::binding
