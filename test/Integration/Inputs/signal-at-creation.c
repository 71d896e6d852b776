/* Preloaded into a program: raises the signal of number SIGNAL as soon as the program has created so many new files as
 * SIGNAL_AT says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

typedef int (*Open)(const char *, int, ...);

static int open_and_count(const char *name, const char *path, int flags, unsigned mode) {
  static int count = 0;
  int descriptor = ((Open)dlsym(RTLD_NEXT, name))(path, flags, mode);
  const char *last = getenv("SIGNAL_AT"), *number = getenv("SIGNAL");
  if (descriptor >= 0 && (flags & O_CREAT) && (flags & O_EXCL) && last && number &&
      __sync_add_and_fetch(&count, 1) == atoi(last))
    raise(atoi(number));
  return descriptor;
}

#define INTERPOSE(NAME)                                                                                                \
  int NAME(const char *path, int flags, ...) {                                                                         \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    unsigned mode = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;                                                 \
    va_end(arguments);                                                                                                 \
    return open_and_count(#NAME, path, flags, mode);                                                                   \
  }
INTERPOSE(open)
INTERPOSE(open64)
