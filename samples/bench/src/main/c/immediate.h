/*
 * A device in C that performs each request before its post returns, within one process.
 *
 * The structures have the layout of <infiniband/verbs.h> (rdma-core), as far as a program sees them, and posts and polls
 * go through the function pointers of the context, as the inline functions of that header call them. So this library's
 * calls of C reach this device as they reach a provider, and no header of rdma-core is needed to compile it.
 */
#ifndef IMMEDIATE_H
#define IMMEDIATE_H

#include <stdint.h>

enum { WR_RDMA_WRITE = 0, WR_SEND = 2 };
enum { SEND_SIGNALED = 2, SEND_INLINE = 8 };
enum { WC_SUCCESS = 0, WC_LOC_LEN_ERR = 1, WC_LOC_QP_OP_ERR = 2, WC_LOC_PROT_ERR = 4, WC_WR_FLUSH_ERR = 5 };
enum { WC_REM_ACCESS_ERR = 10, WC_RNR_RETRY_EXC_ERR = 13 };
enum { ACCESS_LOCAL_WRITE = 1, ACCESS_REMOTE_WRITE = 2 };
enum { WC_SEND = 0, WC_RDMA_WRITE = 1, WC_RECV = 128 };
enum { QPS_RTR = 2, QPS_RTS = 3, QPS_ERR = 6 };

struct sge {
    uint64_t addr;
    uint32_t length;
    uint32_t lkey;
};

struct send_wr {
    uint64_t wr_id;
    struct send_wr *next;
    struct sge *sg_list;
    int num_sge;
    int opcode;
    unsigned int send_flags;
    uint32_t imm_data;
    uint64_t remote_addr;
    uint32_t rkey;
    uint32_t unused[19];
};

struct recv_wr {
    uint64_t wr_id;
    struct recv_wr *next;
    struct sge *sg_list;
    int num_sge;
};

struct wc {
    uint64_t wr_id;
    int status;
    int opcode;
    uint32_t vendor_err;
    uint32_t byte_len;
    uint32_t imm_data;
    uint32_t qp_num;
    uint32_t src_qp;
    unsigned int wc_flags;
    uint16_t pkey_index;
    uint16_t slid;
    uint8_t sl;
    uint8_t dlid_path_bits;
};

struct context {
    char unused1[96];
    int (*poll_cq)(void *cq, int num_entries, struct wc *wc);
    int (*req_notify_cq)(void *cq, int solicited_only);
    char unused2[96];
    int (*post_send)(void *qp, struct send_wr *wr, struct send_wr **bad_wr);
    int (*post_recv)(void *qp, struct recv_wr *wr, struct recv_wr **bad_wr);
};

/* Queue pairs and completion queues. As in verbs.h, the context is the first field. */
struct qp;
struct cq;

/* Returns the key of the region, local and remote; 0 if there are too many. */
uint32_t immediate_register(void *addr, uint64_t length, int access);
void immediate_deregister(uint32_t key);

/* Both return NULL if there is no memory. The queue pair can take two scatter/gather entries in each request. */
struct cq *immediate_create_cq(int entries);
struct qp *immediate_create_qp(struct cq *send_cq, struct cq *recv_cq, int max_send_wr, int max_recv_wr);
uint32_t immediate_qp_num(struct qp *qp);

void immediate_destroy_cq(struct cq *cq);
void immediate_destroy_qp(struct qp *qp);
int immediate_connect(struct qp *qp, uint32_t peer); /* EINVAL if there is no queue pair of that number */
void immediate_to_state(struct qp *qp, int state);

static inline int poll_cq(struct cq *cq, int num_entries, struct wc *wc) {
    return (*(struct context **) cq)->poll_cq(cq, num_entries, wc);
}

static inline int post_send(struct qp *qp, struct send_wr *wr, struct send_wr **bad_wr) {
    return (*(struct context **) qp)->post_send(qp, wr, bad_wr);
}

static inline int post_recv(struct qp *qp, struct recv_wr *wr, struct recv_wr **bad_wr) {
    return (*(struct context **) qp)->post_recv(qp, wr, bad_wr);
}

#endif
