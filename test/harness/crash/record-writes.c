/*
 * Records, in the order in which they happen, what a process writes to files under a folder,
 * what it makes durable, and what it sends to sockets. Preloaded into the server, so that the
 * state of a disk after a loss of power can be built from the record.
 *
 * A record is: one letter, the length of the name, an offset, the length of the data (each as 8
 * bytes), the name and the data.
 *   W  a write to a file     T  a file is cut to `offset` bytes
 *   S  a file is synced      N  something is sent to a socket
 *   D  a file is deleted
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int record = -2;
static const char *folder;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int is_open(void) {
  if (record == -2) {
    const char *path = getenv("RECORD_WRITES_TO");
    folder = getenv("RECORD_WRITES_UNDER");
    record = path == NULL || folder == NULL
      ? -1
      : (int) syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  return record >= 0;
}

static void raw(const void *data, size_t length) {
  const char *next = data;
  while (length > 0) {
    ssize_t written = syscall(SYS_write, record, next, length);
    if (written <= 0) abort();
    next += written;
    length -= (size_t) written;
  }
}

static void note(
  char what, const char *name, uint64_t offset, const struct iovec *parts, int count
) {
  uint64_t length = 0;
  for (int n = 0; n < count; n++) length += parts[n].iov_len;
  uint64_t numbers[3] = { strlen(name), offset, length };
  pthread_mutex_lock(&mutex);
  raw(&what, 1);
  raw(numbers, sizeof numbers);
  raw(name, strlen(name));
  for (int n = 0; n < count; n++) raw(parts[n].iov_base, parts[n].iov_len);
  pthread_mutex_unlock(&mutex);
}

static int is_inside(const char *name) {
  size_t length = strlen(folder);
  return strncmp(name, folder, length) == 0 && name[length] == '/';
}

/* The name of a file under the folder; NULL for everything else. */
static const char *name_of(int fd, char *buffer, size_t size) {
  if (!is_open()) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, buffer, size - 1);
  if (length <= 0) return NULL;
  buffer[length] = 0;
  return is_inside(buffer) ? buffer : NULL;
}

static int is_socket(int fd) {
  struct stat status;
  return is_open() && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) *(void **) &real = dlsym(RTLD_NEXT, name)

static void note_write(int fd, const void *data, size_t count, off_t offset) {
  char buffer[4096];
  const char *name = name_of(fd, buffer, sizeof buffer);
  struct iovec part = { (void *) data, count };
  if (name != NULL) note('W', name, (uint64_t) offset, &part, 1);
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  ssize_t written = real(fd, data, count, offset);
  if (written > 0) note_write(fd, data, (size_t) written, offset);
  return written;
}

ssize_t pwrite64(int fd, const void *data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  ssize_t written = real(fd, data, count, offset);
  if (written > 0) note_write(fd, data, (size_t) written, offset);
  return written;
}

static void note_sync(int fd) {
  char buffer[4096];
  const char *name = name_of(fd, buffer, sizeof buffer);
  if (name != NULL) note('S', name, 0, NULL, 0);
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  int result = real(fd);
  if (result == 0) note_sync(fd);
  return result;
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  int result = real(fd);
  if (result == 0) note_sync(fd);
  return result;
}

static void note_cut(int fd, off_t length) {
  char buffer[4096];
  const char *name = name_of(fd, buffer, sizeof buffer);
  if (name != NULL) note('T', name, (uint64_t) length, NULL, 0);
}

int ftruncate(int fd, off_t length) {
  REAL(int, "ftruncate", int, off_t);
  int result = real(fd, length);
  if (result == 0) note_cut(fd, length);
  return result;
}

int ftruncate64(int fd, off_t length) {
  REAL(int, "ftruncate64", int, off_t);
  int result = real(fd, length);
  if (result == 0) note_cut(fd, length);
  return result;
}

int unlink(const char *name) {
  REAL(int, "unlink", const char *);
  int result = real(name);
  if (result == 0 && is_open() && is_inside(name)) note('D', name, 0, NULL, 0);
  return result;
}

/* What is sent is noted before it is: nobody can have read it without its being in the record. */
ssize_t write(int fd, const void *data, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  struct iovec part = { (void *) data, count };
  if (is_socket(fd)) note('N', "", 0, &part, 1);
  else if (is_open()) {
    char buffer[4096];
    const char *name = name_of(fd, buffer, sizeof buffer);
    if (name != NULL) note('W', name, (uint64_t) lseek(fd, 0, SEEK_CUR), &part, 1);
  }
  return real(fd, data, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (is_socket(fd)) note('N', "", 0, parts, count);
  return real(fd, parts, count);
}
