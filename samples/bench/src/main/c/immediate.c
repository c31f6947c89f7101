/*
 * The device that performs each request at once, see immediate.h.
 *
 * It does the work of a provider in user space, as mlx5's has it, and then that of the card:
 * - A post takes the spin lock of its queue, checks that there is room, and writes each request as a descriptor of one
 *   or more blocks of 64 bytes. The bytes of an inline request are in the descriptor. A fence, as before a doorbell,
 *   ends the post.
 * - The card checks keys, rights and bounds, and copies the bytes. It pushes a completion of 64 bytes, which names the
 *   queue pair and the place of the descriptor.
 * - A poll finds the queue pair by its number and the wr_id by the place, and so learns how many descriptors are free.
 *
 * Invariants
 * - Any thread pushes a completion, under the lock of the queue. One thread polls, without it.
 * - The thread that posts a send takes the receives of the peer, which the thread that posts receives adds.
 * - Keys and numbers are found in tables of fixed size, which are written under the lock of the tables, and read
 *   without it: a program may use only those that it was given and has not given back.
 */
#include "immediate.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct send_wr) == 128, "struct ibv_send_wr");
_Static_assert(sizeof(struct wc) == 48, "struct ibv_wc");
_Static_assert(offsetof(struct context, post_send) == 208, "ibv_context_ops.post_send");

enum { BLOCK = 64, MAX_SGE = 2, REGIONS = 1 << 17, PAIRS = 1 << 16 };
enum { SEND_QUEUE = 0, RECEIVE_QUEUE = 1 };

struct region {
    uint64_t addr;
    uint64_t length;
    int access;
    uint32_t key;
};

struct completion {
    uint32_t qp_num;
    uint32_t place;
    uint32_t byte_len;
    int status;
    int opcode;
    int queue;
    char unused[40];
};

struct cq {
    struct context *context;
    struct completion *ring;
    uint64_t mask;
    atomic_flag lock;
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) _Atomic uint64_t head;
};

struct descriptor {
    uint32_t qp_num;
    uint32_t place;
    int opcode;
    unsigned int flags;
    uint64_t remote_addr;
    uint32_t rkey;
    int num_sge;
    union {
        struct sge sge[MAX_SGE];
        char data[BLOCK + 32]; /* inline: as many bytes as a queue pair takes */
    };
};

struct receive {
    uint64_t wr_id;
    int num_sge;
    struct sge sge[MAX_SGE];
};

struct qp {
    struct context *context;
    struct cq *send_cq;
    struct cq *recv_cq;
    struct qp *peer;
    struct descriptor *descriptors;
    uint64_t *wr_ids;
    struct receive *receives;
    uint32_t send_mask;
    uint32_t receive_mask;
    uint32_t send_depth;
    uint32_t receive_depth;
    uint32_t qp_num;
    uint32_t sent; /* (sending) */
    _Atomic int state;
    atomic_flag sending;
    atomic_flag receiving;
    _Alignas(64) _Atomic uint32_t retired; /* place behind the last descriptor that a poll has seen */
    _Alignas(64) _Atomic uint32_t posted;
    _Alignas(64) _Atomic uint32_t taken;
};

static struct region regions[REGIONS];
static struct qp *pairs[PAIRS];
static atomic_flag tables = ATOMIC_FLAG_INIT;
static uint32_t next_region = 1;
static uint32_t next_pair = 1;

static void lock(atomic_flag *flag) {
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void unlock(atomic_flag *flag) {
    atomic_flag_clear_explicit(flag, memory_order_release);
}

static uint32_t power_above(uint32_t least) {
    uint32_t size = 2;
    while (size <= least) {
        size *= 2;
    }
    return size;
}

/* The card. */

static int allowed(uint32_t key, uint64_t addr, uint32_t length, int access) {
    const struct region *region = &regions[key % REGIONS];
    return region->key == key
            && addr >= region->addr
            && length <= region->length
            && addr - region->addr <= region->length - length
            && (region->access & access) == access;
}

static void push(struct cq *cq, struct qp *qp, int queue, uint32_t place, int status, int opcode, uint32_t byte_len) {
    lock(&cq->lock);
    uint64_t at = atomic_load_explicit(&cq->tail, memory_order_relaxed);
    if (at - atomic_load_explicit(&cq->head, memory_order_acquire) > cq->mask) {
        abort(); /* an overrun */
    }
    struct completion *to = &cq->ring[at & cq->mask];
    to->qp_num = qp->qp_num;
    to->place = place;
    to->byte_len = byte_len;
    to->status = status;
    to->opcode = opcode;
    to->queue = queue;
    atomic_store_explicit(&cq->tail, at + 1, memory_order_release);
    unlock(&cq->lock);
}

static uint32_t length_of(const struct descriptor *request) {
    uint32_t length = 0;
    for (int i = 0; i < request->num_sge; i++) {
        length += request->sge[i].length;
    }
    return length;
}

/* Copies the payload of a request to the places, which have room for it. Returns a status. */
static int copy(const struct descriptor *request, const struct sge *to, int places, int access) {
    int place = 0;
    uint32_t used = 0;
    int pieces = (request->flags & SEND_INLINE) != 0 ? 1 : request->num_sge;
    for (int i = 0; i < pieces; i++) {
        int inlined = (request->flags & SEND_INLINE) != 0;
        const char *from = inlined ? request->data : (const char *) (uintptr_t) request->sge[i].addr;
        uint32_t left = inlined ? (uint32_t) request->num_sge : request->sge[i].length;
        if (!inlined && !allowed(request->sge[i].lkey, request->sge[i].addr, left, 0)) {
            return WC_LOC_PROT_ERR;
        }
        while (left > 0) {
            if (place == places) {
                return WC_LOC_LEN_ERR;
            }
            uint32_t room = to[place].length - used;
            uint32_t part = room < left ? room : left;
            if (!allowed(to[place].lkey, to[place].addr + used, part, access)) {
                return WC_REM_ACCESS_ERR;
            }
            memcpy((char *) (uintptr_t) (to[place].addr + used), from, part);
            from += part;
            left -= part;
            used += part;
            if (used == to[place].length) {
                place++;
                used = 0;
            }
        }
    }
    return WC_SUCCESS;
}

static int deliver(struct qp *to, const struct descriptor *request, uint32_t length) {
    uint32_t at = atomic_load_explicit(&to->taken, memory_order_relaxed);
    int state = atomic_load_explicit(&to->state, memory_order_acquire);
    if (at == atomic_load_explicit(&to->posted, memory_order_acquire) || state < QPS_RTR || state == QPS_ERR) {
        return WC_RNR_RETRY_EXC_ERR;
    }
    const struct receive *receive = &to->receives[at & to->receive_mask];
    int status = copy(request, receive->sge, receive->num_sge, ACCESS_LOCAL_WRITE);
    if (status == WC_SUCCESS) {
        push(to->recv_cq, to, RECEIVE_QUEUE, at, WC_SUCCESS, WC_RECV, length);
        atomic_store_explicit(&to->taken, at + 1, memory_order_release);
    }
    return status;
}

static void perform(struct qp *qp, const struct descriptor *request) {
    uint32_t length = (request->flags & SEND_INLINE) != 0 ? (uint32_t) request->num_sge : length_of(request);
    int status = WC_LOC_QP_OP_ERR;
    if (atomic_load_explicit(&qp->state, memory_order_acquire) != QPS_RTS) {
        status = WC_WR_FLUSH_ERR;
    } else if (request->opcode == WR_SEND) {
        status = deliver(qp->peer, request, length);
    } else if (request->opcode == WR_RDMA_WRITE) {
        struct sge target = {request->remote_addr, length, request->rkey};
        status = copy(request, &target, 1, ACCESS_REMOTE_WRITE);
    }
    if ((request->flags & SEND_SIGNALED) != 0 || status != WC_SUCCESS) {
        int opcode = request->opcode == WR_SEND ? WC_SEND : WC_RDMA_WRITE;
        push(qp->send_cq, qp, SEND_QUEUE, request->place, status, opcode, length);
    }
}

/* The provider. */

static int write_descriptor(struct qp *qp, struct descriptor *to, const struct send_wr *wr) {
    if (wr->num_sge > MAX_SGE) {
        return EINVAL;
    }
    to->qp_num = qp->qp_num;
    to->place = qp->sent;
    to->opcode = wr->opcode;
    to->flags = wr->send_flags;
    to->remote_addr = wr->remote_addr;
    to->rkey = wr->rkey;
    if ((wr->send_flags & SEND_INLINE) == 0) {
        to->num_sge = wr->num_sge;
        memcpy(to->sge, wr->sg_list, wr->num_sge * sizeof(struct sge));
        return 0;
    }
    uint32_t length = 0;
    for (int i = 0; i < wr->num_sge; i++) {
        uint32_t part = wr->sg_list[i].length;
        if (part > sizeof to->data - length) {
            return EINVAL;
        }
        memcpy(to->data + length, (const char *) (uintptr_t) wr->sg_list[i].addr, part);
        length += part;
    }
    to->num_sge = (int) length;
    return 0;
}

static int send_all(void *object, struct send_wr *wr, struct send_wr **bad_wr) {
    struct qp *qp = object;
    int result = 0;
    lock(&qp->sending);
    uint32_t first = qp->sent;
    for (; wr != NULL; wr = wr->next) {
        struct descriptor *to = &qp->descriptors[qp->sent & qp->send_mask];
        if (qp->sent - atomic_load_explicit(&qp->retired, memory_order_acquire) >= qp->send_depth) {
            result = ENOMEM;
        } else {
            result = write_descriptor(qp, to, wr);
        }
        if (result != 0) {
            *bad_wr = wr;
            break;
        }
        qp->wr_ids[qp->sent & qp->send_mask] = wr->wr_id;
        qp->sent++;
    }
    atomic_thread_fence(memory_order_seq_cst); /* the doorbell */
    for (; first != qp->sent; first++) {
        perform(qp, &qp->descriptors[first & qp->send_mask]);
    }
    unlock(&qp->sending);
    return result;
}

/* Ends the receives that are posted. Under the lock of the receives. */
static void flush(struct qp *qp) {
    uint32_t at = atomic_load(&qp->taken);
    for (; at != atomic_load(&qp->posted); at++) {
        push(qp->recv_cq, qp, RECEIVE_QUEUE, at, WC_WR_FLUSH_ERR, WC_RECV, 0);
    }
    atomic_store(&qp->taken, at);
}

static int receive_all(void *object, struct recv_wr *wr, struct recv_wr **bad_wr) {
    struct qp *qp = object;
    int result = 0;
    lock(&qp->receiving);
    for (; wr != NULL; wr = wr->next) {
        uint32_t at = atomic_load_explicit(&qp->posted, memory_order_relaxed);
        int full = at - atomic_load_explicit(&qp->taken, memory_order_acquire) >= qp->receive_depth;
        if (full || wr->num_sge > MAX_SGE) {
            *bad_wr = wr;
            result = full ? ENOMEM : EINVAL;
            break;
        }
        struct receive *to = &qp->receives[at & qp->receive_mask];
        to->wr_id = wr->wr_id;
        to->num_sge = wr->num_sge;
        memcpy(to->sge, wr->sg_list, wr->num_sge * sizeof(struct sge));
        atomic_store_explicit(&qp->posted, at + 1, memory_order_release);
    }
    if (atomic_load(&qp->state) == QPS_ERR) {
        flush(qp);
    }
    unlock(&qp->receiving);
    return result;
}

static int poll(void *object, int num_entries, struct wc *wc) {
    struct cq *cq = object;
    uint64_t at = atomic_load_explicit(&cq->head, memory_order_relaxed);
    uint64_t there = atomic_load_explicit(&cq->tail, memory_order_acquire) - at;
    int count = there < (uint64_t) num_entries ? (int) there : num_entries;
    for (int i = 0; i < count; i++) {
        const struct completion *from = &cq->ring[(at + i) & cq->mask];
        struct qp *qp = pairs[from->qp_num % PAIRS];
        if (qp == NULL) { /* it was destroyed */
            memset(&wc[i], 0, sizeof wc[i]);
            wc[i].status = WC_WR_FLUSH_ERR;
            continue;
        }
        if (from->queue == SEND_QUEUE) {
            wc[i].wr_id = qp->wr_ids[from->place & qp->send_mask];
            atomic_store_explicit(&qp->retired, from->place + 1, memory_order_release);
        } else {
            wc[i].wr_id = qp->receives[from->place & qp->receive_mask].wr_id;
        }
        wc[i].status = from->status;
        wc[i].opcode = from->opcode;
        wc[i].vendor_err = 0;
        wc[i].byte_len = from->byte_len;
        wc[i].qp_num = from->qp_num;
        wc[i].wc_flags = 0;
        wc[i].imm_data = 0;
    }
    if (count > 0) {
        atomic_store_explicit(&cq->head, at + count, memory_order_release);
    }
    return count;
}

/* Arms nothing: all loops over this device spin. */
static int req_notify(void *cq, int solicited_only) {
    (void) cq;
    (void) solicited_only;
    return 0;
}

static struct context immediate = {
    .poll_cq = poll,
    .req_notify_cq = req_notify,
    .post_send = send_all,
    .post_recv = receive_all,
};

static void *zeroed(size_t bytes) {
    size_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK;
    void *memory = aligned_alloc(BLOCK, whole);
    return memory == NULL ? NULL : memset(memory, 0, whole);
}

uint32_t immediate_register(void *addr, uint64_t length, int access) {
    lock(&tables);
    uint32_t key = 0;
    for (int tries = 0; tries < REGIONS && key == 0; tries++, next_region++) {
        struct region *region = &regions[next_region % REGIONS];
        if (region->key == 0 && next_region != 0) {
            *region = (struct region) {(uintptr_t) addr, length, access, next_region};
            key = next_region;
        }
    }
    unlock(&tables);
    return key;
}

void immediate_deregister(uint32_t key) {
    lock(&tables);
    regions[key % REGIONS] = (struct region) {0};
    unlock(&tables);
}

struct cq *immediate_create_cq(int entries) {
    struct cq *cq = zeroed(sizeof *cq);
    uint32_t size = power_above(entries);
    if (cq == NULL || (cq->ring = zeroed(size * sizeof *cq->ring)) == NULL) {
        free(cq);
        return NULL;
    }
    cq->context = &immediate;
    cq->mask = size - 1;
    return cq;
}

void immediate_destroy_cq(struct cq *cq) {
    free(cq->ring);
    free(cq);
}

static int number(struct qp *qp) {
    lock(&tables);
    for (int tries = 0; tries < PAIRS && qp->qp_num == 0; tries++, next_pair++) {
        if (next_pair % PAIRS != 0 && pairs[next_pair % PAIRS] == NULL) {
            qp->qp_num = next_pair & 0xffffff;
            pairs[next_pair % PAIRS] = qp;
        }
    }
    unlock(&tables);
    return qp->qp_num != 0;
}

struct qp *immediate_create_qp(struct cq *send_cq, struct cq *recv_cq, int max_send_wr, int max_recv_wr) {
    struct qp *qp = zeroed(sizeof *qp);
    if (qp == NULL) {
        return NULL;
    }
    qp->context = &immediate;
    qp->send_cq = send_cq;
    qp->recv_cq = recv_cq;
    qp->send_depth = max_send_wr;
    qp->receive_depth = max_recv_wr;
    qp->send_mask = power_above(max_send_wr) - 1;
    qp->receive_mask = power_above(max_recv_wr) - 1;
    qp->descriptors = zeroed((qp->send_mask + 1) * sizeof *qp->descriptors);
    qp->wr_ids = zeroed((qp->send_mask + 1) * sizeof *qp->wr_ids);
    qp->receives = zeroed((qp->receive_mask + 1) * sizeof *qp->receives);
    if (qp->descriptors == NULL || qp->wr_ids == NULL || qp->receives == NULL || !number(qp)) {
        immediate_destroy_qp(qp);
        return NULL;
    }
    return qp;
}

uint32_t immediate_qp_num(struct qp *qp) {
    return qp->qp_num;
}

void immediate_destroy_qp(struct qp *qp) {
    if (qp->qp_num != 0) {
        lock(&tables);
        pairs[qp->qp_num % PAIRS] = NULL;
        unlock(&tables);
    }
    free(qp->descriptors);
    free(qp->wr_ids);
    free(qp->receives);
    free(qp);
}

int immediate_connect(struct qp *qp, uint32_t peer) {
    qp->peer = pairs[peer % PAIRS];
    return qp->peer != NULL && qp->peer->qp_num == peer ? 0 : EINVAL;
}

void immediate_to_state(struct qp *qp, int state) {
    atomic_store(&qp->state, state);
    if (state == QPS_ERR) {
        lock(&qp->receiving); /* waits for threads that post and have not yet seen the new state */
        flush(qp);
        unlock(&qp->receiving);
    }
}
