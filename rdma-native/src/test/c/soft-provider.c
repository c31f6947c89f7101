/*
 * A provider of libibverbs whose devices are software devices of a JVM in the same process. With it the programs of
 * rdma-core and the tests of pyverbs use `soft0` as they are: .ci/pyverbs says how. For rdma-core 44 alone, because the
 * interface between libibverbs and its providers is private and changes (PABI 34).
 *
 * No kernel knows the device. libibverbs finds it in a folder that looks like sysfs (SYSFS_PATH), loads this library
 * (RDMAV_DRIVERS), and opens a character device, which is that of /dev/null. Its commands to the kernel go there. The
 * provider has to answer everything itself, and the library is preloaded as well (LD_PRELOAD), because completion
 * channels are made by a command of libibverbs and not by the provider.
 *
 * io.rdma.internal.ffi.lib.SoftProvider is the Java side. It fills `soft` with the addresses of its functions. Each
 * object of C holds the handle of the object behind it. A function that fails returns a negative errno.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The private interface: the parts that are used here, in their places. */
struct list_node {
    struct list_node *next, *prev;
};
struct verbs_sysfs_dev {
    struct list_node entry;
    void *provider_data;
    const void *match;
    unsigned int flags;
    char sysfs_name[IBV_SYSFS_NAME_MAX];
    dev_t sysfs_cdev;
    char ibdev_name[IBV_SYSFS_NAME_MAX];
};
struct verbs_device;
struct verbs_device_ops {
    const char *name;
    uint32_t match_min_abi_version, match_max_abi_version;
    const void *match_table;
    const struct verbs_device_ops **static_providers;
    bool (*match_device)(struct verbs_sysfs_dev *);
    struct verbs_context *(*alloc_context)(struct ibv_device *, int cmd_fd, void *private_data);
    struct verbs_context *(*import_context)(struct ibv_device *, int cmd_fd);
    struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *);
    void (*uninit_device)(struct verbs_device *);
};
struct verbs_device {
    struct ibv_device device;
    const struct verbs_device_ops *ops;
    atomic_int refcount;
    struct list_node entry;
    struct verbs_sysfs_dev *sysfs;
    uint64_t core_support;
};
struct verbs_mr {
    struct ibv_mr ibv_mr;
    int mr_type;
    int access;
};
/* Places in struct verbs_context_ops, whose functions are in the order of the alphabet. */
enum {
    ADVISE_MR = 0, ALLOC_MW = 2, ALLOC_PARENT_DOMAIN = 4, ALLOC_PD = 5, ATTACH_MCAST = 9, BIND_MW = 10,
    CLOSE_XRCD = 11, CREATE_AH = 13, CREATE_CQ = 15, CREATE_QP = 19, CREATE_QP_EX = 20, CREATE_SRQ = 22,
    CREATE_SRQ_EX = 23, DEALLOC_MW = 25, DEALLOC_PD = 26, DEREG_MR = 28, DESTROY_AH = 29, DESTROY_CQ = 31,
    DESTROY_QP = 34, DESTROY_SRQ = 36, DETACH_MCAST = 38, FREE_CONTEXT = 39, GET_SRQ_NUM = 41, MODIFY_QP = 47,
    MODIFY_SRQ = 49, OPEN_XRCD = 52, POLL_CQ = 53, POST_RECV = 54, POST_SEND = 55, POST_SRQ_RECV = 57,
    QUERY_DEVICE_EX = 58, QUERY_PORT = 60, QUERY_QP = 61, QUERY_SRQ = 64, REG_MR = 68, REQ_NOTIFY_CQ = 69,
    REREG_MR = 70, RESIZE_CQ = 71, OPS = 76
};
extern void verbs_register_driver_34(const struct verbs_device_ops *);
extern void *_verbs_init_and_alloc_context(struct ibv_device *, int, size_t, struct verbs_context *, uint32_t);
extern void verbs_set_ops(struct verbs_context *, const void *);
extern void verbs_uninit_context(struct verbs_context *);

/* The Java side, in the order of SoftProvider.FUNCTIONS. */
static struct {
    long (*open)(int *vectors);
    long (*close)(long);
    long (*query_device)(long, void *, void *, long size);
    long (*query_port)(long, int, void *);
    long (*alloc_pd)(long);
    long (*dealloc_pd)(long);
    long (*reg_mr)(long pd, void *, long length, long iova, int access, uint32_t *keys);
    long (*rereg_mr)(long mr, int flags, long pd, void *, long length, int access, uint32_t *keys);
    long (*dereg_mr)(long);
    long (*alloc_mw)(long pd, int type, uint32_t *rkey);
    long (*bind_mw)(long qp, long mw, long wr_id, int flags, long mr, long addr, long length, int access,
                    uint32_t *rkey);
    long (*dealloc_mw)(long);
    long (*create_channel)(long, int fd);
    long (*destroy_channel)(long);
    long (*create_cq)(long, int cqe, long channel, int vector, void *cq, int *granted);
    long (*resize_cq)(long, int cqe);
    long (*destroy_cq)(long);
    long (*poll_cq)(long, int, void *);
    long (*req_notify_cq)(long, int solicited);
    long (*create_srq)(long pd, void *attr);
    long (*modify_srq)(long, void *attr, int mask);
    long (*query_srq)(long, void *attr);
    long (*destroy_srq)(long);
    long (*post_srq_recv)(long, void *, void *);
    long (*create_qp)(long pd, void *init, uint32_t *number);
    long (*modify_qp)(long, void *attr, int mask);
    long (*query_qp)(long, void *attr, int mask, void *cap);
    long (*destroy_qp)(long);
    long (*post_send)(long, void *, void *);
    long (*post_recv)(long, void *, void *);
    long (*create_ah)(long pd, void *attr);
    long (*destroy_ah)(long);
    long (*mcast)(long qp, const void *gid, int lid, int attach);
    long (*open_xrcd)(long);
    long (*close_xrcd)(long);
    long (*create_xrc_srq)(long pd, long xrcd, long cq, void *attr, uint32_t *number);
    long (*create_xrc_receive_qp)(long xrcd, uint32_t *number);
    long (*alloc_parent_domain)(long, long pd);
    long (*advise_mr)(long pd, int advice, int flags, void *entries, int count);
} soft;

#define OBJECT(name, type) struct soft_##name { type of; long handle; }
OBJECT(context, struct verbs_context);
OBJECT(pd, struct ibv_pd);
OBJECT(mr, struct verbs_mr);
OBJECT(mw, struct ibv_mw);
OBJECT(ah, struct ibv_ah);
OBJECT(cq, struct ibv_cq);
struct soft_srq { struct ibv_srq of; long handle; uint32_t number; };
OBJECT(xrcd, struct ibv_xrcd);
struct soft_qp { struct ibv_qp of; char private_part[256]; long handle; };
struct soft_channel { struct ibv_comp_channel of; int write_end; long handle; };
#define HANDLE(name, p) ((p) == NULL ? 0 : ((struct soft_##name *) (p))->handle)

static struct soft_context *context_of(struct ibv_context *c) {
    return (struct soft_context *) ((char *) c - offsetof(struct verbs_context, context));
}

static int error_of(long result) { return result < 0 ? (int) -result : 0; }

/* Returns the object if it has a handle, and otherwise frees it and sets errno. */
static void *made(void *object, long *handle) {
    if (*handle >= 0) {
        return object;
    }
    errno = (int) -*handle;
    free(object);
    return NULL;
}
#define MADE(object) made(object, &(object)->handle)

/* Ends the object behind one of C, and frees that one if it has ended. */
static int ended(void *object, long result) {
    if (result >= 0) {
        free(object);
    }
    return error_of(result);
}

static struct ibv_pd *alloc_pd(struct ibv_context *c) {
    struct soft_pd *pd = calloc(1, sizeof *pd);
    pd->of.context = c;
    pd->handle = soft.alloc_pd(context_of(c)->handle);
    return MADE(pd);
}

static int dealloc_pd(struct ibv_pd *pd) { return ended(pd, soft.dealloc_pd(HANDLE(pd, pd))); }

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
    struct soft_mr *mr = calloc(1, sizeof *mr);
    uint32_t keys[2] = {0, 0};
    mr->handle = soft.reg_mr(HANDLE(pd, pd), address, length, iova, access, keys);
    mr->of.access = access;
    mr->of.ibv_mr.context = pd->context;
    mr->of.ibv_mr.lkey = keys[0];
    mr->of.ibv_mr.rkey = keys[1];
    return MADE(mr);
}

static int rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *address, size_t length, int access) {
    uint32_t keys[2];
    long result = soft.rereg_mr(HANDLE(mr, mr), flags, HANDLE(pd, pd), address, length, access, keys);
    if (result >= 0) {
        mr->ibv_mr.lkey = keys[0];
        mr->ibv_mr.rkey = keys[1];
    }
    return error_of(result);
}

static int dereg_mr(struct verbs_mr *mr) { return ended(mr, soft.dereg_mr(HANDLE(mr, mr))); }

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *entries,
                     uint32_t count) {
    return error_of(soft.advise_mr(HANDLE(pd, pd), advice, (int) flags, entries, (int) count));
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *c, struct ibv_parent_domain_init_attr *attr) {
    if (attr->comp_mask || attr->td) {
        errno = EOPNOTSUPP; /* allocators of the caller */
        return NULL;
    }
    struct soft_pd *pd = calloc(1, sizeof *pd);
    pd->of.context = c;
    pd->handle = soft.alloc_parent_domain(context_of(c)->handle, HANDLE(pd, attr->pd));
    return MADE(pd);
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type) {
    struct soft_mw *mw = calloc(1, sizeof *mw);
    mw->of.context = pd->context;
    mw->of.pd = pd;
    mw->of.type = type;
    mw->handle = soft.alloc_mw(HANDLE(pd, pd), type, &mw->of.rkey);
    return MADE(mw);
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind) {
    struct ibv_mw_bind_info *info = &bind->bind_info;
    uint32_t rkey = mw->rkey;
    long result = soft.bind_mw(HANDLE(qp, qp), HANDLE(mw, mw), bind->wr_id, bind->send_flags, HANDLE(mr, info->mr),
                               info->addr, info->length, info->mw_access_flags, &rkey);
    if (result >= 0) {
        mw->rkey = rkey;
    }
    return error_of(result);
}

static int dealloc_mw(struct ibv_mw *mw) { return ended(mw, soft.dealloc_mw(HANDLE(mw, mw))); }

/* Preloaded: replaces the function of libibverbs, which asks the kernel. Events are pointers in a pipe. */
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c) {
    struct soft_channel *channel = calloc(1, sizeof *channel);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        free(channel);
        return NULL;
    }
    channel->of.context = c;
    channel->of.fd = ends[0];
    channel->write_end = ends[1];
    channel->handle = soft.create_channel(context_of(c)->handle, ends[1]);
    return MADE(channel);
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
    struct soft_channel *of = (struct soft_channel *) channel;
    if (channel->refcnt) {
        return EBUSY;
    }
    long result = soft.destroy_channel(of->handle);
    if (result >= 0) {
        close(channel->fd);
        close(of->write_end);
    }
    return ended(channel, result);
}

static struct ibv_cq *create_cq(struct ibv_context *c, int cqe, struct ibv_comp_channel *channel, int vector) {
    struct soft_cq *cq = calloc(1, sizeof *cq);
    cq->handle = soft.create_cq(context_of(c)->handle, cqe, HANDLE(channel, channel), vector, cq, &cq->of.cqe);
    return MADE(cq);
}

static int resize_cq(struct ibv_cq *cq, int cqe) {
    long granted = soft.resize_cq(HANDLE(cq, cq), cqe);
    if (granted >= 0) {
        cq->cqe = (int) granted;
    }
    return error_of(granted);
}

static int destroy_cq(struct ibv_cq *cq) { return ended(cq, soft.destroy_cq(HANDLE(cq, cq))); }

static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
    return (int) soft.poll_cq(HANDLE(cq, cq), count, wc);
}

static int req_notify_cq(struct ibv_cq *cq, int solicited) {
    return error_of(soft.req_notify_cq(HANDLE(cq, cq), solicited));
}

static struct ibv_srq *create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init) {
    struct soft_srq *srq = calloc(1, sizeof *srq);
    srq->of.context = pd->context;
    srq->of.pd = pd;
    pthread_mutex_init(&srq->of.mutex, NULL);
    pthread_cond_init(&srq->of.cond, NULL);
    srq->handle = soft.create_srq(HANDLE(pd, pd), &init->attr);
    return MADE(srq);
}

static struct ibv_srq *create_srq_ex(struct ibv_context *c, struct ibv_srq_init_attr_ex *init) {
    if (!(init->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || init->srq_type == IBV_SRQT_BASIC) {
        return create_srq(init->pd, (struct ibv_srq_init_attr *) init); /* which begins with the same fields */
    }
    if (init->srq_type != IBV_SRQT_XRC) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    struct soft_srq *srq = calloc(1, sizeof *srq);
    srq->of.context = c;
    srq->of.pd = init->pd;
    pthread_mutex_init(&srq->of.mutex, NULL);
    pthread_cond_init(&srq->of.cond, NULL);
    srq->handle = soft.create_xrc_srq(HANDLE(pd, init->pd), HANDLE(xrcd, init->xrcd), HANDLE(cq, init->cq), &init->attr,
                                      &srq->number);
    return MADE(srq);
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number) {
    *number = ((struct soft_srq *) srq)->number;
    return 0;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *c, struct ibv_xrcd_init_attr *init) {
    if (init->fd != -1) {
        errno = EOPNOTSUPP; /* a domain that processes share by a file */
        return NULL;
    }
    struct soft_xrcd *xrcd = calloc(1, sizeof *xrcd);
    xrcd->of.context = c;
    xrcd->handle = soft.open_xrcd(context_of(c)->handle);
    return MADE(xrcd);
}

static int close_xrcd(struct ibv_xrcd *xrcd) { return ended(xrcd, soft.close_xrcd(HANDLE(xrcd, xrcd))); }

static int modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask) {
    return error_of(soft.modify_srq(HANDLE(srq, srq), attr, mask));
}

static int query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr) {
    return error_of(soft.query_srq(HANDLE(srq, srq), attr));
}

static int destroy_srq(struct ibv_srq *srq) { return ended(srq, soft.destroy_srq(HANDLE(srq, srq))); }

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    return error_of(soft.post_srq_recv(HANDLE(srq, srq), wr, bad));
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
    struct soft_qp *qp = calloc(1, sizeof *qp);
    struct ibv_qp_init_attr handles = *init;
    handles.send_cq = (struct ibv_cq *) HANDLE(cq, init->send_cq);
    handles.recv_cq = (struct ibv_cq *) HANDLE(cq, init->recv_cq);
    handles.srq = (struct ibv_srq *) HANDLE(srq, init->srq);
    qp->handle = soft.create_qp(HANDLE(pd, pd), &handles, &qp->of.qp_num);
    init->cap = handles.cap;
    qp->of.context = pd->context;
    qp->of.qp_context = init->qp_context;
    qp->of.pd = pd;
    qp->of.send_cq = init->send_cq;
    qp->of.recv_cq = init->recv_cq;
    qp->of.srq = init->srq;
    qp->of.qp_type = init->qp_type;
    qp->of.state = IBV_QPS_RESET;
    pthread_mutex_init(&qp->of.mutex, NULL);
    pthread_cond_init(&qp->of.cond, NULL);
    return MADE(qp);
}

static struct ibv_qp *create_qp_ex(struct ibv_context *c, struct ibv_qp_init_attr_ex *init) {
    if (init->comp_mask & ~(uint32_t) (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD)) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    if (init->qp_type != IBV_QPT_XRC_RECV) {
        return create_qp(init->pd, (struct ibv_qp_init_attr *) init); /* which begins with the same fields */
    }
    struct soft_qp *qp = calloc(1, sizeof *qp);
    qp->handle = soft.create_xrc_receive_qp(HANDLE(xrcd, init->xrcd), &qp->of.qp_num);
    qp->of.context = c;
    qp->of.qp_context = init->qp_context;
    qp->of.qp_type = init->qp_type;
    pthread_mutex_init(&qp->of.mutex, NULL);
    pthread_cond_init(&qp->of.cond, NULL);
    return MADE(qp);
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) {
    int result = error_of(soft.modify_qp(HANDLE(qp, qp), attr, mask));
    if (result == 0 && (mask & IBV_QP_STATE)) {
        qp->state = attr->qp_state;
    }
    return result;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
    memset(attr, 0, sizeof *attr);
    memset(init, 0, sizeof *init);
    int result = error_of(soft.query_qp(HANDLE(qp, qp), attr, mask, &init->cap));
    init->qp_context = qp->qp_context;
    init->send_cq = qp->send_cq;
    init->recv_cq = qp->recv_cq;
    init->srq = qp->srq;
    init->qp_type = qp->qp_type;
    if (result == 0) {
        attr->cap = init->cap;
        qp->state = attr->qp_state;
    }
    return result;
}

static int destroy_qp(struct ibv_qp *qp) { return ended(qp, soft.destroy_qp(HANDLE(qp, qp))); }

/* Requests name objects by pointers, those of the software device by handles. They are exchanged during the call. */
static int post_send(struct ibv_qp *qp, struct ibv_send_wr *first, struct ibv_send_wr **bad) {
    int count = 0, at = 0;
    for (struct ibv_send_wr *wr = first; wr; wr = wr->next) {
        count++;
    }
    void *objects[count + 1][2];
    for (struct ibv_send_wr *wr = first; wr; wr = wr->next, at++) {
        if (qp->qp_type == IBV_QPT_UD) {
            objects[at][0] = wr->wr.ud.ah;
            wr->wr.ud.ah = (struct ibv_ah *) HANDLE(ah, wr->wr.ud.ah);
        } else if (wr->opcode == IBV_WR_BIND_MW) {
            objects[at][0] = wr->bind_mw.mw;
            objects[at][1] = wr->bind_mw.bind_info.mr;
            wr->bind_mw.mw = (struct ibv_mw *) HANDLE(mw, wr->bind_mw.mw);
            wr->bind_mw.bind_info.mr = (struct ibv_mr *) HANDLE(mr, wr->bind_mw.bind_info.mr);
        }
    }
    int result = error_of(soft.post_send(HANDLE(qp, qp), first, bad));
    at = 0;
    for (struct ibv_send_wr *wr = first; wr; wr = wr->next, at++) {
        if (qp->qp_type == IBV_QPT_UD) {
            wr->wr.ud.ah = objects[at][0];
        } else if (wr->opcode == IBV_WR_BIND_MW) {
            wr->bind_mw.mw = objects[at][0];
            wr->bind_mw.bind_info.mr = objects[at][1];
        }
    }
    return result;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    return error_of(soft.post_recv(HANDLE(qp, qp), wr, bad));
}

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr) {
    struct soft_ah *ah = calloc(1, sizeof *ah);
    ah->of.context = pd->context;
    ah->of.pd = pd;
    ah->handle = soft.create_ah(HANDLE(pd, pd), attr);
    return MADE(ah);
}

static int destroy_ah(struct ibv_ah *ah) { return ended(ah, soft.destroy_ah(HANDLE(ah, ah))); }

static int attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
    return error_of(soft.mcast(HANDLE(qp, qp), gid, lid, 1));
}

static int detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
    return error_of(soft.mcast(HANDLE(qp, qp), gid, lid, 0));
}

static int query_device_ex(struct ibv_context *c, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size) {
    memset(attr, 0, size);
    int result = error_of(soft.query_device(context_of(c)->handle, &attr->orig_attr, attr, (long) size));
    if (size >= offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex) + sizeof attr->phys_port_cnt_ex) {
        attr->phys_port_cnt_ex = attr->orig_attr.phys_port_cnt;
    }
    return result;
}

static int query_port(struct ibv_context *c, uint8_t port, struct ibv_port_attr *attr) {
    memset(attr, 0, sizeof *attr);
    return error_of(soft.query_port(context_of(c)->handle, port, attr));
}

static void free_context(struct ibv_context *c) {
    struct soft_context *context = context_of(c);
    soft.close(context->handle);
    verbs_uninit_context(&context->of);
    free(context);
}

static void *const operations[OPS] = {
    [ADVISE_MR] = advise_mr, [ALLOC_PARENT_DOMAIN] = alloc_parent_domain, [CLOSE_XRCD] = close_xrcd,
    [CREATE_QP_EX] = create_qp_ex, [CREATE_SRQ_EX] = create_srq_ex, [GET_SRQ_NUM] = get_srq_num, [OPEN_XRCD] = open_xrcd,
    [ALLOC_MW] = alloc_mw, [ALLOC_PD] = alloc_pd, [ATTACH_MCAST] = attach_mcast, [BIND_MW] = bind_mw,
    [CREATE_AH] = create_ah, [CREATE_CQ] = create_cq, [CREATE_QP] = create_qp, [CREATE_SRQ] = create_srq,
    [DEALLOC_MW] = dealloc_mw, [DEALLOC_PD] = dealloc_pd, [DEREG_MR] = dereg_mr, [DESTROY_AH] = destroy_ah,
    [DESTROY_CQ] = destroy_cq, [DESTROY_QP] = destroy_qp, [DESTROY_SRQ] = destroy_srq, [DETACH_MCAST] = detach_mcast,
    [FREE_CONTEXT] = free_context, [MODIFY_QP] = modify_qp, [MODIFY_SRQ] = modify_srq, [POLL_CQ] = poll_cq,
    [POST_RECV] = post_recv, [POST_SEND] = post_send, [POST_SRQ_RECV] = post_srq_recv,
    [QUERY_DEVICE_EX] = query_device_ex, [QUERY_PORT] = query_port, [QUERY_QP] = query_qp, [QUERY_SRQ] = query_srq,
    [REG_MR] = reg_mr, [REQ_NOTIFY_CQ] = req_notify_cq, [REREG_MR] = rereg_mr, [RESIZE_CQ] = resize_cq,
};

/* Starts the JVM, once. SOFT_LIBJVM is its library, SOFT_OPTIONS has its options, separated by line ends. */
static bool start(void) {
    static bool started;
    if (started) {
        return true;
    }
    char *options = getenv("SOFT_OPTIONS"), *library = getenv("SOFT_LIBJVM");
    void *jvm = options && library ? dlopen(library, RTLD_NOW | RTLD_GLOBAL) : NULL;
    jint (*create)(JavaVM **, void **, void *) = jvm ? dlsym(jvm, "JNI_CreateJavaVM") : NULL;
    if (!create) {
        fprintf(stderr, "soft-provider: SOFT_LIBJVM and SOFT_OPTIONS have to be set: %s\n", jvm ? "" : dlerror());
        return false;
    }
    JavaVMOption list[32];
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .options = list};
    char *rest = strdup(options);
    for (char *one; args.nOptions < 32 && (one = strsep(&rest, "\n"));) {
        list[args.nOptions++].optionString = one;
    }
    JavaVM *vm;
    JNIEnv *env;
    if (create(&vm, (void **) &env, &args)) {
        fprintf(stderr, "soft-provider: the JVM did not start\n");
        return false;
    }
    jclass java = (*env)->FindClass(env, "io/rdma/internal/ffi/lib/SoftProvider");
    jmethodID fill = java ? (*env)->GetStaticMethodID(env, java, "fill", "(J)V") : NULL;
    if (fill) {
        (*env)->CallStaticVoidMethod(env, java, fill, (jlong) (intptr_t) &soft);
    }
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        return false;
    }
    return started = true;
}

static struct verbs_context *alloc_context(struct ibv_device *device, int cmd_fd, void *private_data) {
    if (!start()) {
        close(cmd_fd);
        errno = ENODEV;
        return NULL;
    }
    struct soft_context *context = _verbs_init_and_alloc_context(
        device, cmd_fd, sizeof *context, &((struct soft_context *) NULL)->of, 0);
    int ends[2];
    if (!context || pipe2(ends, O_CLOEXEC)) {
        return NULL;
    }
    context->of.context.async_fd = ends[0]; /* libibverbs asks the kernel for one if there is none */
    context->handle = soft.open(&context->of.context.num_comp_vectors);
    verbs_set_ops(&context->of, operations);
    return &context->of;
}

static bool match_device(struct verbs_sysfs_dev *device) { return strncmp(device->ibdev_name, "soft", 4) == 0; }

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *device) {
    return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *device) { free(device); }

static const struct verbs_device_ops provider = {
    .name = "soft",
    .match_max_abi_version = UINT32_MAX,
    .match_device = match_device,
    .alloc_context = alloc_context,
    .alloc_device = alloc_device,
    .uninit_device = uninit_device,
};

static __attribute__((constructor)) void register_provider(void) { verbs_register_driver_34(&provider); }
