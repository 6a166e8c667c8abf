// SPDX-License-Identifier: Apache-2.0
// The register port's client: one request out, one reply in, pushed messages taken on the way.
#include "sw/hal/remote/remote.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    HEADER = 8,
    PROTOCOL = 1,
    REPLY = 0x80,
    STATUS_PART = 16,  // status, value, time
};

enum kind {
    KIND_HELLO = 1,
    KIND_READ,
    KIND_WRITE,
    KIND_POSTED_WRITE,
    KIND_BARRIER,
    KIND_NOW,
    KIND_DELAY,
    KIND_WAIT_IRQ,
    KIND_LOG,
    KIND_READY,
    KIND_ADVANCE,
    KIND_RUN,
    KIND_BYE,
    KIND_SUBSCRIBE,
    KIND_INTERRUPT = 64,
    KIND_END = 65
};

enum wire_status { WIRE_OK, WIRE_BUS_ERROR, WIRE_TIMEOUT, WIRE_BAD_REQUEST, WIRE_REFUSED, WIRE_ENDED };

struct message {
    size_t size;  // octets, header counted
    unsigned char octets[WEIR_REMOTE_MESSAGE];
};

static weir_status fail(struct weir_remote* remote, weir_status status, const char* format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(remote->error, sizeof remote->error, format, values);
    va_end(values);
    return status;
}

static void hang_up(struct weir_remote* remote) {
    if (remote->socket >= 0) close(remote->socket);
    remote->socket = -1;
}

static void append32(struct message* m, uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) m->octets[m->size++] = (unsigned char)(value >> (8 * i));
}

static void append64(struct message* m, uint64_t value) {
    append32(m, (uint32_t)value);
    append32(m, (uint32_t)(value >> 32));
}

static uint32_t load32(const unsigned char* octets) {
    return octets[0] | (uint32_t)octets[1] << 8 | (uint32_t)octets[2] << 16 | (uint32_t)octets[3] << 24;
}

static uint64_t load64(const unsigned char* octets) {
    return load32(octets) | (uint64_t)load32(octets + 4) << 32;
}

static void begin(struct message* m, struct weir_remote* remote, enum kind kind, uint8_t asic) {
    m->size = 2;
    m->octets[m->size++] = (unsigned char)kind;
    m->octets[m->size++] = asic;
    append32(m, ++remote->tag);
}

static int64_t wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits until the socket can be used or the deadline has passed. False: it has.
static bool wait_until_usable(const struct weir_remote* remote, short events, int64_t deadline) {
    for (;;) {
        const int64_t left = deadline - wall_ms();
        struct pollfd one = {remote->socket, events, 0};
        const int happened = poll(&one, 1, left > 0 ? (int)left : 0);
        if (happened > 0) return true;
        if (left <= 0) return false;
    }
}

static weir_status transmit(struct weir_remote* remote, struct message* m) {
    if (remote->socket < 0) {
        // The first reason is the one that helps.
        if (remote->error[0] == '\0') fail(remote, WEIR_E_BUS, "not connected");
        return WEIR_E_BUS;
    }
    m->octets[0] = (unsigned char)m->size;
    m->octets[1] = (unsigned char)(m->size >> 8);
    const int64_t deadline = wall_ms() + remote->timeout_ms;
    for (size_t done = 0; done < m->size;) {
        const ssize_t put = send(remote->socket, m->octets + done, m->size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put >= 0) {
            done += (size_t)put;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
            if (wait_until_usable(remote, POLLOUT, deadline)) continue;
            hang_up(remote);
            return fail(remote, WEIR_E_TIMEOUT, "the prototype takes no requests: %d ms", remote->timeout_ms);
        } else {
            const int reason = errno;
            hang_up(remote);
            return fail(remote, WEIR_E_BUS, "the connection is lost: %s", strerror(reason));
        }
    }
    remote->requests++;
    return WEIR_OK;
}

// A reply comes within microseconds as a rule, and to be put to sleep and woken costs more than that.
static ssize_t receive_soon(struct weir_remote* remote) {
    enum { LOOKS = 200 };
    const size_t room = sizeof remote->in - remote->end;
    for (int look = 0; look < LOOKS; ++look) {
        const ssize_t got = recv(remote->socket, remote->in + remote->end, room, MSG_DONTWAIT);
        if (got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return got;
        sched_yield();
    }
    return recv(remote->socket, remote->in + remote->end, room, 0);
}

// Reads what is there, waiting for it: the socket's own time-out bounds each wait.
static weir_status fill(struct weir_remote* remote, int64_t deadline) {
    if (remote->begin == remote->end) remote->begin = remote->end = 0;
    for (;;) {
        const ssize_t got = receive_soon(remote);
        if (got > 0) {
            remote->end += (size_t)got;
            return WEIR_OK;
        }
        const bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
        if (!later) {
            hang_up(remote);
            return fail(remote, WEIR_E_BUS, "the connection is lost: the prototype has gone");
        }
        if (wall_ms() < deadline) continue;
        hang_up(remote);
        return fail(remote, WEIR_E_TIMEOUT, "no reply in time");
    }
}

static weir_status receive_octets(struct weir_remote* remote, unsigned char* into, size_t size, int64_t deadline) {
    while (size > 0) {
        if (remote->begin == remote->end) {
            const weir_status status = fill(remote, deadline);
            if (status != WEIR_OK) return status;
        }
        const size_t there = remote->end - remote->begin;
        const size_t part = there < size ? there : size;
        memcpy(into, remote->in + remote->begin, part);
        remote->begin += part;
        into += part;
        size -= part;
    }
    return WEIR_OK;
}

static weir_status receive_message(struct weir_remote* remote, struct message* m, int64_t deadline) {
    weir_status status = receive_octets(remote, m->octets, HEADER, deadline);
    if (status != WEIR_OK) return status;
    m->size = m->octets[0] | (size_t)m->octets[1] << 8;
    if (m->size < HEADER || m->size > sizeof m->octets) {
        hang_up(remote);
        return fail(remote, WEIR_E_BUS, "a message of %zu octets came: this is no register port", m->size);
    }
    return receive_octets(remote, m->octets + HEADER, m->size - HEADER, deadline);
}

// Takes a pushed message. False: it is none, but a reply.
static bool take_pushed(struct weir_remote* remote, const struct message* m) {
    if (m->octets[2] == KIND_INTERRUPT) {
        remote->interrupts++;
        return true;
    }
    if (m->octets[2] != KIND_END) return false;
    remote->over = true;
    fail(remote, WEIR_E_BUS, "%.*s", (int)(m->size - HEADER), (const char*)m->octets + HEADER);
    hang_up(remote);
    return true;
}

static weir_status status_of_reply(struct weir_remote* remote, const struct message* m, const char* what) {
    const int words = (int)(m->size - HEADER - STATUS_PART);
    const char* text = (const char*)m->octets + HEADER + STATUS_PART;
    switch (load32(m->octets + HEADER)) {
        case WIRE_OK:
            return WEIR_OK;
        case WIRE_BUS_ERROR:
            return fail(remote, WEIR_E_BUS, "%s: the bus refused the access", what);
        case WIRE_TIMEOUT:
            return fail(remote, WEIR_E_TIMEOUT, "%s: not in time", what);
        case WIRE_REFUSED:
            return fail(remote, WEIR_E_VERSION, "%s: %.*s", what, words, text);
        case WIRE_ENDED:
            return fail(remote, WEIR_E_BUS, "%s: the run is over", what);
        default:
            return fail(remote, WEIR_E_BUS, "%s: %.*s", what, words, text);
    }
}

// Sends the request in `m`, and puts its reply there.
static weir_status exchange(struct weir_remote* remote, struct message* m, const char* what) {
    const unsigned char wanted = m->octets[2] | REPLY;
    weir_status status = transmit(remote, m);
    const int64_t deadline = wall_ms() + remote->timeout_ms;
    while (status == WEIR_OK) {
        status = receive_message(remote, m, deadline);
        if (status != WEIR_OK) return status;
        if (take_pushed(remote, m)) {
            if (remote->over) return WEIR_E_BUS;
            continue;
        }
        if (m->octets[2] != wanted || load32(m->octets + 4) != remote->tag || m->size < HEADER + STATUS_PART) {
            hang_up(remote);
            return fail(remote, WEIR_E_BUS, "%s: a reply to something else came", what);
        }
        remote->now_ns = load64(m->octets + HEADER + 8);
        return status_of_reply(remote, m, what);
    }
    return status;
}

static uint32_t value_of(const struct message* m) {
    return load32(m->octets + HEADER + 4);
}

static weir_status open_local(struct weir_remote* remote, const char* path) {
    struct sockaddr_un there;
    memset(&there, 0, sizeof there);
    there.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof there.sun_path)
        return fail(remote, WEIR_E_BUS, "unix:%s: the path is too long: at most %zu octets", path,
                    sizeof there.sun_path - 1);
    memcpy(there.sun_path, path, strlen(path) + 1);
    remote->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    if (remote->socket >= 0 && connect(remote->socket, (const struct sockaddr*)&there, sizeof there) == 0)
        return WEIR_OK;
    const int reason = errno;
    hang_up(remote);
    return fail(remote, WEIR_E_BUS, "unix:%s: %s: is `weir run … --port unix:%s` running?", path, strerror(reason),
                path);
}

static weir_status open_tcp(struct weir_remote* remote, const char* place) {
    char host[64] = "127.0.0.1";
    const char* colon = strrchr(place, ':');
    const char* digits = colon != NULL ? colon + 1 : place;
    if (colon != NULL && (size_t)(colon - place) < sizeof host) {
        memcpy(host, place, (size_t)(colon - place));
        host[colon - place] = '\0';
    }
    char* end = NULL;
    const unsigned long port = strtoul(digits, &end, 10);
    struct sockaddr_in there;
    memset(&there, 0, sizeof there);
    there.sin_family = AF_INET;
    there.sin_port = htons((uint16_t)port);
    if (*digits < '0' || *digits > '9' || *end != '\0' || port == 0 || port > 65535 ||
        inet_pton(AF_INET, host, &there.sin_addr) != 1)
        return fail(remote, WEIR_E_BUS, "tcp:%s: this is no address: tcp:PORT or tcp:127.0.0.1:PORT", place);
    remote->socket = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    if (remote->socket >= 0) setsockopt(remote->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (remote->socket >= 0 && connect(remote->socket, (const struct sockaddr*)&there, sizeof there) == 0)
        return WEIR_OK;
    const int reason = errno;
    hang_up(remote);
    return fail(remote, WEIR_E_BUS, "tcp:%s: %s: is `weir run … --port` running there?", place, strerror(reason));
}

weir_status weir_remote_connect(struct weir_remote* remote, const char* address, uint32_t map_hash, int timeout_ms) {
    memset(remote, 0, sizeof *remote);
    remote->socket = -1;
    remote->timeout_ms = timeout_ms > 0 ? timeout_ms : WEIR_REMOTE_TIMEOUT_MS;
    weir_status status = WEIR_E_BUS;
    if (strncmp(address, "unix:", 5) == 0)
        status = open_local(remote, address + 5);
    else if (strncmp(address, "tcp:", 4) == 0)
        status = open_tcp(remote, address + 4);
    else
        return fail(remote, WEIR_E_BUS, "%s: this is no address: unix:PATH, tcp:PORT, tcp:HOST:PORT", address);
    if (status != WEIR_OK) return status;
    // Short, so that every deadline is met; a wait is several of these.
    const int slice_ms = remote->timeout_ms < 200 ? remote->timeout_ms : 200;
    const struct timeval slice = {.tv_sec = 0, .tv_usec = slice_ms * 1000};
    setsockopt(remote->socket, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
    struct message m;
    begin(&m, remote, KIND_HELLO, 0);
    append32(&m, PROTOCOL);
    append32(&m, map_hash);
    status = exchange(remote, &m, "connecting");
    if (status == WEIR_OK && m.size < HEADER + STATUS_PART + 8)
        status = fail(remote, WEIR_E_BUS, "connecting: the answer is too short");
    if (status != WEIR_OK) {
        hang_up(remote);
        return status;
    }
    remote->map_hash = load32(m.octets + HEADER + STATUS_PART);
    remote->asics = load32(m.octets + HEADER + STATUS_PART + 4);
    return WEIR_OK;
}

void weir_remote_close(struct weir_remote* remote) {
    struct message m;
    if (remote->socket >= 0) {
        begin(&m, remote, KIND_BYE, 0);
        (void)exchange(remote, &m, "leaving");
    }
    hang_up(remote);
}

const char* weir_remote_error(const struct weir_remote* remote) {
    return remote->error[0] != '\0' ? remote->error : "no error";
}

static weir_status simple(struct weir_remote* remote, enum kind kind, const char* what) {
    struct message m;
    begin(&m, remote, kind, 0);
    return exchange(remote, &m, what);
}

weir_status weir_remote_ready(struct weir_remote* remote) {
    return simple(remote, KIND_READY, "getting ready");
}

weir_status weir_remote_advance(struct weir_remote* remote, uint64_t until_ns) {
    struct message m;
    begin(&m, remote, KIND_ADVANCE, 0);
    append64(&m, until_ns);
    return exchange(remote, &m, "advancing");
}

static weir_status set(struct weir_remote* remote, enum kind kind, uint32_t value, const char* what) {
    struct message m;
    begin(&m, remote, kind, 0);
    append32(&m, value);
    return exchange(remote, &m, what);
}

weir_status weir_remote_run(struct weir_remote* remote, enum weir_remote_mode mode) {
    const weir_status status = set(remote, KIND_RUN, (uint32_t)mode, "running");
    if (status == WEIR_OK) remote->running = mode == WEIR_REMOTE_RUN;
    return status;
}

weir_status weir_remote_subscribe(struct weir_remote* remote, bool on) {
    return set(remote, KIND_SUBSCRIBE, on ? 1 : 0, "subscribing");
}

weir_status weir_remote_posted_write(struct weir_remote* remote, uint8_t asic, uint32_t address, uint32_t word) {
    struct message m;
    begin(&m, remote, KIND_POSTED_WRITE, asic);
    append32(&m, address);
    append32(&m, word);
    return transmit(remote, &m);
}

weir_status weir_remote_barrier(struct weir_remote* remote) {
    struct message m;
    begin(&m, remote, KIND_BARRIER, 0);
    const weir_status status = exchange(remote, &m, "barrier");
    if (status == WEIR_E_BUS && remote->socket >= 0)
        return fail(remote, status, "a posted write of 0x%x failed", (unsigned)value_of(&m));
    return status;
}

weir_status weir_remote_wait_end(struct weir_remote* remote, int timeout_ms) {
    struct message m;
    const int64_t deadline = wall_ms() + timeout_ms;
    while (!remote->over) {
        if (remote->socket < 0) return WEIR_E_BUS;
        const weir_status status = receive_message(remote, &m, deadline);
        if (status != WEIR_OK) return status;
        if (take_pushed(remote, &m)) continue;
        hang_up(remote);
        return fail(remote, WEIR_E_BUS, "waiting for the end: a reply to nothing came");
    }
    return WEIR_OK;
}

// ---- the HAL

static weir_status remote_read32(void* ctx, uint32_t address, uint32_t* word) {
    struct weir_remote_chip* chip = ctx;
    struct message m;
    begin(&m, chip->remote, KIND_READ, chip->asic);
    append32(&m, address);
    const weir_status status = exchange(chip->remote, &m, "read");
    if (status == WEIR_OK) memcpy(word, m.octets + HEADER + 4, 4);  // four octets as the bus has them
    return status;
}

static weir_status remote_write32(void* ctx, uint32_t address, uint32_t word) {
    struct weir_remote_chip* chip = ctx;
    struct message m;
    begin(&m, chip->remote, KIND_WRITE, chip->asic);
    append32(&m, address);
    memcpy(m.octets + m.size, &word, 4);
    m.size += 4;
    return exchange(chip->remote, &m, "write");
}

static void remote_barrier(void* ctx) {
    (void)weir_remote_barrier(((struct weir_remote_chip*)ctx)->remote);
}

static uint64_t remote_now_ns(void* ctx) {
    struct weir_remote* remote = ((struct weir_remote_chip*)ctx)->remote;
    if (remote->running) (void)simple(remote, KIND_NOW, "asking for the time");
    return remote->now_ns;
}

static void remote_delay_ns(void* ctx, uint64_t ns) {
    struct weir_remote* remote = ((struct weir_remote_chip*)ctx)->remote;
    struct message m;
    begin(&m, remote, KIND_DELAY, 0);
    append64(&m, ns);
    // Without a connection time must go on all the same: whoever polls would never end.
    if (exchange(remote, &m, "waiting") != WEIR_OK) remote->now_ns += ns > 0 ? ns : 1;
}

static weir_status remote_wait_irq(void* ctx, uint64_t timeout_ns) {
    struct weir_remote_chip* chip = ctx;
    struct message m;
    begin(&m, chip->remote, KIND_WAIT_IRQ, chip->asic);
    append64(&m, timeout_ns);
    return exchange(chip->remote, &m, "waiting for an interrupt");
}

static void remote_log(void* ctx, weir_log_level level, const char* text) {
    struct weir_remote_chip* chip = ctx;
    struct message m;
    begin(&m, chip->remote, KIND_LOG, chip->asic);
    append32(&m, (uint32_t)level);
    const size_t room = sizeof m.octets - m.size;
    const size_t size = strlen(text) < room ? strlen(text) : room;
    memcpy(m.octets + m.size, text, size);
    m.size += size;
    (void)transmit(chip->remote, &m);
}

struct weir_hal weir_remote_hal(struct weir_remote* remote, uint8_t asic) {
    struct weir_remote_chip* chip = &remote->chips[asic % WEIR_REMOTE_CHIPS];
    chip->remote = remote;
    chip->asic = asic;
    struct weir_hal hal;
    memset(&hal, 0, sizeof hal);
    hal.ctx = chip;
    hal.read32 = remote_read32;
    hal.write32 = remote_write32;
    hal.barrier = remote_barrier;
    hal.now_ns = remote_now_ns;
    hal.delay_ns = remote_delay_ns;
    hal.wait_irq = remote_wait_irq;
    hal.log = remote_log;
    return hal;
}
