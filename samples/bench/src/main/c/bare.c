/*
 * The yardstick: programs that call verbs themselves and do nothing else, with the requests, depth, chains and
 * signaling of the engine's benchmarks. Their only record of the requests in flight is two counters.
 *
 *   bare writes     64 B writes, 128 in flight, in chains of 32 whose last one is signaled
 *   bare serial     64 B writes, one at a time
 *   bare messages   64 B sends to receives, both ends on this thread, a SEND for each, 128 in flight, in chains of 32
 *
 * Prints the processor time of an operation in nanoseconds, the median of nine runs.
 */
#include "immediate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 64, DEPTH = 128, CHAIN = 32, BATCH = 64, OPERATIONS = 1 << 20, RUNS = 9 };

static struct send_wr sends[CHAIN];
static struct sge send_sges[CHAIN];
static struct recv_wr recvs[DEPTH];
static struct sge recv_sges[DEPTH];
static struct wc completions[BATCH];
static _Alignas(64) char memory[2 * DEPTH * BYTES];
static struct cq *send_cq;
static struct cq *recv_cq;
static struct qp *sender;
static struct qp *receiver;
static uint32_t key;

static void fail(const char *what) {
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static void open_device(void) {
    send_cq = immediate_create_cq(2 * DEPTH);
    recv_cq = immediate_create_cq(2 * DEPTH);
    if (send_cq == NULL || recv_cq == NULL) {
        fail("create_cq");
    }
    sender = immediate_create_qp(send_cq, recv_cq, DEPTH, DEPTH);
    receiver = immediate_create_qp(send_cq, recv_cq, DEPTH, DEPTH);
    key = immediate_register(memory, sizeof memory, ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE);
    if (sender == NULL || receiver == NULL || key == 0) {
        fail("create_qp");
    }
    immediate_connect(sender, immediate_qp_num(receiver));
    immediate_connect(receiver, immediate_qp_num(sender));
    immediate_to_state(sender, QPS_RTS);
    immediate_to_state(receiver, QPS_RTS);
}

static void fill(uint64_t first, int count, int opcode) {
    for (int i = 0; i < count; i++) {
        char *data = memory + (first + i) % DEPTH * BYTES;
        struct send_wr *wr = &sends[i];
        int last = i == count - 1;
        wr->wr_id = first + i;
        wr->next = last ? NULL : wr + 1;
        wr->sg_list = &send_sges[i];
        wr->num_sge = 1;
        wr->opcode = opcode;
        wr->send_flags = last ? SEND_INLINE | SEND_SIGNALED : SEND_INLINE;
        wr->imm_data = 0;
        wr->remote_addr = (uintptr_t) (memory + DEPTH * BYTES);
        wr->rkey = key;
        if (opcode == WR_SEND) {
            memset(data, 1, BYTES);
        }
        send_sges[i].addr = (uintptr_t) data;
        send_sges[i].length = BYTES;
        send_sges[i].lkey = key;
    }
}

static void post(uint64_t first, int count, int opcode) {
    struct send_wr *bad;
    fill(first, count, opcode);
    if (post_send(sender, sends, &bad) != 0) {
        fail("post_send");
    }
}

/* Returns the number of completions that were polled. All must be successful. */
static int poll_some(struct cq *cq) {
    int polled = poll_cq(cq, BATCH, completions);
    for (int i = 0; i < polled; i++) {
        if (completions[i].status != WC_SUCCESS) {
            fail("a request");
        }
    }
    return polled;
}

static void writes(int chain, int depth) {
    uint64_t posted = 0;
    uint64_t completed = 0;
    while (completed < OPERATIONS) {
        for (; posted < OPERATIONS && posted + chain <= completed + depth; posted += chain) {
            post(posted, chain, WR_RDMA_WRITE);
        }
        int polled = poll_some(send_cq);
        if (polled > 0) {
            completed = completions[polled - 1].wr_id + 1;
        }
    }
}

static void post_receives(int count) {
    struct recv_wr *bad;
    for (int i = 0; i < count; i++) {
        recvs[i].next = i == count - 1 ? NULL : &recvs[i + 1];
    }
    if (count > 0 && post_recv(receiver, recvs, &bad) != 0) {
        fail("post_recv");
    }
}

static void fill_receive(int i, uint64_t place) {
    recvs[i].wr_id = place;
    recvs[i].sg_list = &recv_sges[i];
    recvs[i].num_sge = 1;
    recv_sges[i].addr = (uintptr_t) (memory + (DEPTH + place) * BYTES);
    recv_sges[i].length = BYTES;
    recv_sges[i].lkey = key;
}

static void messages(void) {
    static int prepared;
    uint64_t posted = 0;
    uint64_t completed = 0;
    uint64_t received = 0;
    if (!prepared) {
        prepared = 1;
        for (int i = 0; i < DEPTH; i++) {
            fill_receive(i, i);
        }
        post_receives(DEPTH);
    }
    while (received < OPERATIONS) {
        while (posted < OPERATIONS && posted + CHAIN <= completed + DEPTH && posted + CHAIN <= received + DEPTH) {
            post(posted, CHAIN, WR_SEND);
            posted += CHAIN;
        }
        int polled = poll_some(send_cq);
        if (polled > 0) {
            completed = completions[polled - 1].wr_id + 1;
        }
        polled = poll_some(recv_cq);
        for (int i = 0; i < polled; i++) {
            if (completions[i].byte_len != BYTES) {
                fail("a message");
            }
            fill_receive(i, completions[i].wr_id);
        }
        post_receives(polled);
        received += polled;
    }
}

static double processor_nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *) a;
    double right = *(const double *) b;
    return (left > right) - (left < right);
}

int main(int argc, char **argv) {
    const char *mode = argc == 2 ? argv[1] : "";
    double times[RUNS];
    open_device();
    for (int run = -1; run < RUNS; run++) { /* the first one warms up */
        double start = processor_nanos();
        if (strcmp(mode, "writes") == 0) {
            writes(CHAIN, DEPTH);
        } else if (strcmp(mode, "serial") == 0) {
            writes(1, 1);
        } else if (strcmp(mode, "messages") == 0) {
            messages();
        } else {
            fprintf(stderr, "usage: bare writes | serial | messages\n");
            return 2;
        }
        if (run >= 0) {
            times[run] = (processor_nanos() - start) / OPERATIONS;
        }
    }
    qsort(times, RUNS, sizeof times[0], ascending);
    printf("%.3f\n", times[RUNS / 2]);
    return 0;
}
