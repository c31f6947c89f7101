package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.SendWr;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Comparison of the structures of the extended interfaces with C's header, by C's compilers. The function pointers of
 * these structures have different offsets on each architecture.
 */
class ExtendedLayoutTest {
    private final CAsserts asserts = new CAsserts("infiniband/verbs.h");

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0}")
    @CsvSource({"gcc, amd64", "aarch64-linux-gnu-gcc, aarch64"})
    void layoutsAreThoseOfTheHeaders(String compiler, String architecture) throws Exception {
        asserts.assumeCompiles(compiler, architecture);
        assertThat(claims(architecture).all()).hasSizeGreaterThan(50);
        assertThat(asserts.compile(compiler, folder))
                .as("what the compiler says")
                .isEmpty();
    }

    CAsserts claims(String architecture) throws IllegalAccessException {
        behind("ibv_qp_ex", QpEx.class, QpEx.base(architecture));
        behind("ibv_cq_ex", CqEx.class, CqEx.base(architecture));
        asserts.equal("sizeof(pthread_mutex_t)", ProviderCalls.mutexBytes(architecture));
        asserts.size("ibv_qp_init_attr_ex", ExtendedLayout.QP_INIT_SIZE);
        asserts.offset("ibv_qp_init_attr_ex", "sq_sig_all", QpInitAttrLayout.SQ_SIG_ALL);
        asserts.offset("ibv_qp_init_attr_ex", "comp_mask", ExtendedLayout.QP_INIT_COMP_MASK);
        asserts.offset("ibv_qp_init_attr_ex", "pd", ExtendedLayout.QP_INIT_PD);
        asserts.offset("ibv_qp_init_attr_ex", "send_ops_flags", ExtendedLayout.QP_INIT_SEND_OPS_FLAGS);
        asserts.offset("ibv_qp_init_attr_ex", "xrcd", ExtendedLayout.QP_INIT_XRCD);
        asserts.size("ibv_srq_init_attr_ex", ExtendedLayout.SRQ_INIT_SIZE);
        asserts.offset("ibv_srq_init_attr_ex", "attr", ExtendedLayout.SRQ_INIT_ATTR);
        asserts.offset("ibv_srq_init_attr_ex", "comp_mask", ExtendedLayout.SRQ_INIT_COMP_MASK);
        asserts.offset("ibv_srq_init_attr_ex", "srq_type", ExtendedLayout.SRQ_INIT_TYPE);
        asserts.offset("ibv_srq_init_attr_ex", "pd", ExtendedLayout.SRQ_INIT_PD);
        asserts.offset("ibv_srq_init_attr_ex", "xrcd", ExtendedLayout.SRQ_INIT_XRCD);
        asserts.offset("ibv_srq_init_attr_ex", "cq", ExtendedLayout.SRQ_INIT_CQ);
        asserts.size("ibv_xrcd_init_attr", ExtendedLayout.XRCD_INIT_SIZE);
        asserts.offset("ibv_xrcd_init_attr", "comp_mask", 0);
        asserts.offset("ibv_xrcd_init_attr", "fd", ExtendedLayout.XRCD_INIT_FD);
        asserts.offset("ibv_xrcd_init_attr", "oflags", ExtendedLayout.XRCD_INIT_OFLAGS);
        asserts.size("ibv_qp_open_attr", ExtendedLayout.QP_OPEN_SIZE);
        asserts.offset("ibv_qp_open_attr", "comp_mask", 0);
        asserts.offset("ibv_qp_open_attr", "qp_num", ExtendedLayout.QP_OPEN_QP_NUM);
        asserts.offset("ibv_qp_open_attr", "xrcd", ExtendedLayout.QP_OPEN_XRCD);
        asserts.offset("ibv_qp_open_attr", "qp_type", ExtendedLayout.QP_OPEN_QP_TYPE);
        asserts.offset("ibv_xrcd", "context", 0);
        asserts.offset("ibv_send_wr", "qp_type.xrc.remote_srqn", SendWr.XRC_REMOTE_SRQN);
        asserts.size("ibv_cq_init_attr_ex", ExtendedLayout.CQ_INIT_SIZE);
        asserts.offset("ibv_cq_init_attr_ex", "cqe", ExtendedLayout.CQ_INIT_CQE);
        asserts.offset("ibv_cq_init_attr_ex", "cq_context", ExtendedLayout.CQ_INIT_CQ_CONTEXT);
        asserts.offset("ibv_cq", "cq_context", ExtendedPoll.CQ_CONTEXT);
        asserts.offset("ibv_cq_init_attr_ex", "channel", ExtendedLayout.CQ_INIT_CHANNEL);
        asserts.offset("ibv_cq_init_attr_ex", "comp_vector", ExtendedLayout.CQ_INIT_COMP_VECTOR);
        asserts.offset("ibv_cq_init_attr_ex", "wc_flags", ExtendedLayout.CQ_INIT_WC_FLAGS);
        asserts.offset("ibv_pd", "context", 0);
        asserts.offset("ibv_qp", "qp_type", 60);
        asserts.equal("sizeof(struct ibv_poll_cq_attr)", Integer.BYTES);
        return asserts;
    }

    private void behind(String struct, Class<?> offsets, long base) throws IllegalAccessException {
        for (Field field : offsets.getDeclaredFields()) {
            if (field.getType() == int.class) {
                asserts.offset(struct, field.getName().toLowerCase(Locale.ROOT), base + field.getInt(null));
            }
        }
    }
}
