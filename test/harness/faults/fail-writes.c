/*
 * Makes writes to files under a folder fail while a file called `fault` is in it.
 * Preloaded into the server. The file says how: `full` (ENOSPC) or `readonly` (EROFS).
 * The file itself lies in another folder, so that the server does not see it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The error that writes to this file meet at the moment; 0 for none. */
static int fault_of(int fd) {
  const char *fault = getenv("FAIL_WRITES_IF");
  const char *folder = getenv("FAIL_WRITES_UNDER");
  if (fault == NULL || folder == NULL) return 0;
  int file = open(fault, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char kind = 0;
  ssize_t length = read(file, &kind, 1);
  close(file);
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t named = readlink(link, name, sizeof name - 1);
  if (length != 1 || named <= 0) return 0;
  name[named] = 0;
  if (strncmp(name, folder, strlen(folder)) != 0) return 0;
  return kind == 'f' ? ENOSPC : EROFS;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) *(void **) &real = dlsym(RTLD_NEXT, name)

#define FAIL_IF_FAULTY(fd) \
  int fault = fault_of(fd); \
  if (fault != 0) { \
    errno = fault; \
    return -1; \
  }

ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  FAIL_IF_FAULTY(fd)
  return real(fd, data, count, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  FAIL_IF_FAULTY(fd)
  return real(fd, data, count, offset);
}

int ftruncate64(int fd, off_t length) {
  REAL(int, "ftruncate64", int, off_t);
  FAIL_IF_FAULTY(fd)
  return real(fd, length);
}

int posix_fallocate64(int fd, off_t offset, off_t length) {
  REAL(int, "posix_fallocate64", int, off_t, off_t);
  int fault = fault_of(fd);
  return fault != 0 ? fault : real(fd, offset, length);
}
