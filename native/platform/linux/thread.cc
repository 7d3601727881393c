#include "platform/thread.h"

#include <pthread.h>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <system_error>
#include <thread>
#include <utility>

namespace procscope {

int start_thread(std::function<void()> body) {
  // A thread inherits the mask of its maker, so that there is no moment in which a signal of the
  // host could be handled on it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = 0;
  try {
    std::thread thread([body = std::move(body)] {
      pthread_setname_np(pthread_self(), "procscope");
      body();
    });
    thread.detach();
  } catch (const std::system_error& error) {
    code = error.code().value() != 0 ? error.code().value() : EAGAIN;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return code;
}

double thread_cpu() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace procscope
