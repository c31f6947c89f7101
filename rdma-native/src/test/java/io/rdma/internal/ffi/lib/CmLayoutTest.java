package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;
import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every size, offset and constant that the binding of librdmacm uses, compared with C's headers by C's compilers. */
class CmLayoutTest {
    private static final Map<String, String> FIELDS = Map.ofEntries(
            Map.entry("CHANNEL_FD", "rdma_event_channel, fd"),
            Map.entry("ID_SRC_ADDR", "rdma_cm_id, route.addr.src_addr"),
            Map.entry("ID_DST_ADDR", "rdma_cm_id, route.addr.dst_addr"),
            Map.entry("EVENT_UD_AH_ATTR", "rdma_cm_event, param.ud.ah_attr"),
            Map.entry("EVENT_UD_QP_NUM", "rdma_cm_event, param.ud.qp_num"),
            Map.entry("EVENT_UD_QKEY", "rdma_cm_event, param.ud.qkey"),
            Map.entry("JOIN_FLAGS", "rdma_cm_join_mc_attr_ex, join_flags"),
            Map.entry("JOIN_ADDR", "rdma_cm_join_mc_attr_ex, addr"));
    private static final Map<String, String> STRUCTS = Map.of(
            "ID", "rdma_cm_id",
            "EVENT", "rdma_cm_event",
            "PARAM", "rdma_conn_param",
            "ADDRINFO", "rdma_addrinfo",
            "JOIN", "rdma_cm_join_mc_attr_ex");

    private final CAsserts c = new CAsserts("rdma/rdma_cma.h");

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0}")
    @CsvSource({"gcc, amd64", "aarch64-linux-gnu-gcc, aarch64"})
    void layoutsAreThoseOfTheHeaders(String compiler, String architecture) throws Exception {
        c.assumeCompiles(compiler, architecture);
        assertThat(claims().all()).hasSizeGreaterThan(65);
        assertThat(c.compile(compiler, folder)).as("what the compiler says").isEmpty();
    }

    CAsserts claims() throws IllegalAccessException {
        for (Field field : Cma.class.getFields()) {
            c.equal("RDMA_" + field.getName(), field.getInt(null));
        }
        for (Field field : CmLayout.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
                structure(field.getName(), field.getInt(null));
            }
        }
        c.offset("ibv_context", "device", 0); // FfmRdmacm.queryId reads the device's name through it
        c.offset("rdma_conn_param", "private_data", 0);
        c.offset("rdma_ud_param", "private_data", 0);
        c.offset("rdma_ud_param", "private_data_len", CmLayout.PARAM_PRIVATE_DATA_LEN);
        c.offset("rdma_cm_join_mc_attr_ex", "comp_mask", 0);
        addresses();
        return c;
    }

    private void structure(String name, int value) {
        String known = FIELDS.get(name);
        if (known != null) {
            c.equal("offsetof(struct " + known + ")", value);
            return;
        }
        String struct = STRUCTS.get(name.substring(0, name.indexOf('_')));
        String field = name.substring(name.indexOf('_') + 1).toLowerCase(Locale.ROOT);
        if (field.equals("size")) {
            c.size(struct, value);
        } else {
            c.offset(struct, struct.equals("rdma_addrinfo") ? "ai_" + field : field, value);
        }
    }

    private void addresses() {
        c.equal("AF_INET", SockAddr.AF_INET);
        c.equal("AF_INET6", SockAddr.AF_INET6);
        c.size("sockaddr_in", SockAddr.IN_SIZE);
        c.size("sockaddr_in6", SockAddr.IN6_SIZE);
        c.offset("sockaddr_in", "sin_port", SockAddr.PORT);
        c.offset("sockaddr_in6", "sin6_port", SockAddr.PORT);
        c.offset("sockaddr_in", "sin_addr", SockAddr.IN_ADDR);
        c.offset("sockaddr_in6", "sin6_addr", SockAddr.IN6_ADDR);
        c.offset("sockaddr_in6", "sin6_scope_id", SockAddr.IN6_SCOPE_ID);
        c.equal("sizeof(((struct sockaddr_in *)0)->sin_family)", Short.BYTES);
        c.offset("sockaddr_in", "sin_family", 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "fd77::1", "fe80::1%1"})
    void anAddressIsReadAsItWasWritten(String host) {
        InetSocketAddress address = new InetSocketAddress(host, 0xabcd);
        try (Arena arena = Arena.ofConfined()) {
            assertThat(SockAddr.read(SockAddr.write(arena, address))).isEqualTo(address);
        }
    }

    @Test
    void parametersAreReadAsTheyWereWritten() {
        byte[] data = {1, 2, 3};
        ConnParam param = new ConnParam(data, 0xff, 254, 1, 7, 6, true, 0xabcdef);
        try (Arena arena = Arena.ofConfined()) {
            ConnParam again = CmLayout.readParam(CmLayout.write(arena, param));
            assertThat(again).usingRecursiveComparison().isEqualTo(param);
        }
    }
}
