package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.BindWr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.DeviceCapability;
import io.rdma.types.PortCapability;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every size, offset and constant that the binding uses, compared with C's headers by C's compilers. The offsets of
 * structures that are read as records are found by experiment: the test changes one byte and observes which component
 * changes.
 */
class LayoutTest {
    /** Offset of a field that only ibv_query_qp(3) sets. */
    private static final int SQ_DRAINING = 125;

    private final CAsserts c = new CAsserts("infiniband/verbs.h");

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0}")
    @CsvSource({"gcc, amd64", "aarch64-linux-gnu-gcc, aarch64"})
    void layoutsAreThoseOfTheHeaders(String compiler, String architecture) throws Exception {
        c.assumeCompiles(compiler, architecture);
        assertThat(claims(architecture).all()).hasSizeGreaterThan(250);
        assertThat(c.compile(compiler, folder)).as("what the compiler says").isEmpty();
    }

    CAsserts claims(String architecture) throws ReflectiveOperationException {
        constants();
        flyweights();
        records();
        objects(architecture);
        return c;
    }

    private void constants() throws IllegalAccessException {
        for (Field field : Ibv.class.getFields()) {
            equal("IBV_" + field.getName(), field.getInt(null));
        }
        for (DeviceCapability capability : DeviceCapability.values()) {
            if (capability.code() <= Integer.MAX_VALUE) { // the kernel's header alone has the others
                equal("IBV_DEVICE_" + capability, capability.code());
            }
        }
        for (PortCapability capability : PortCapability.values()) {
            equal("IBV_PORT_" + capability, capability.code());
        }
    }

    private void flyweights() throws IllegalAccessException {
        for (Map.Entry<Class<?>, String> type : Map.of(
                        SendWr.class, "ibv_send_wr",
                        RecvWr.class, "ibv_recv_wr",
                        Sge.class, "ibv_sge",
                        Wc.class, "ibv_wc")
                .entrySet()) {
            for (Field field : type.getKey().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) || field.getType() != int.class) {
                    continue;
                }
                field.setAccessible(true); // some offsets are package-private
                String name = field.getName().toLowerCase(Locale.ROOT);
                if (name.equals("size")) {
                    size(type.getValue(), field.getInt(null));
                } else {
                    offset(
                            type.getValue(),
                            name.replaceFirst("^xrc_", "qp_type.xrc.").replaceFirst("^(rdma|atomic|ud)_", "wr.$1."),
                            field.getInt(null));
                }
            }
        }
    }

    private void records() {
        size("ibv_qp_attr", QpAttrLayout.SIZE);
        offsets("ibv_qp_attr", QpAttrLayout.SIZE, QpAttrLayout::read);
        size("ibv_port_attr", PortAttrLayout.SIZE);
        offsets("ibv_port_attr", PortAttrLayout.SIZE, PortAttrLayout::read);
        size("ibv_device_attr", DeviceAttrLayout.SIZE);
        offsets("ibv_device_attr", DeviceAttrLayout.SIZE, DeviceAttrLayout::read);
        size("ibv_srq_attr", SrqAttrLayout.SIZE);
        offsets("ibv_srq_attr", SrqAttrLayout.SIZE, SrqAttrLayout::read);
        size("ibv_ah_attr", AhAttrLayout.SIZE);
        offsets("ibv_ah_attr", AhAttrLayout.SIZE, AhAttrLayout::read);
        offsets("ibv_qp_cap", 20, QpAttrLayout::readCap);
        writesWhatItReads();
    }

    /** Checks the other direction: a structure that is read and written again has the same components. */
    private static void writesWhatItReads() {
        try (Arena arena = Arena.ofConfined()) {
            SrqAttr attr = new SrqAttr(1, 2, 3);
            long at = arena.allocate(SrqAttrLayout.SIZE, 8).address();
            SrqAttrLayout.write(at, attr);
            assertThat(SrqAttrLayout.read(at)).isEqualTo(attr);
            var from = arena.allocate(QpAttrLayout.SIZE, 8);
            var to = arena.allocate(QpAttrLayout.SIZE, 8);
            for (int i = 0; i < QpAttrLayout.SIZE; i++) {
                from.set(ValueLayout.JAVA_BYTE, i, (byte) (i == SQ_DRAINING ? 0 : 1));
            }
            QpAttrLayout.write(to.address(), QpAttrLayout.read(from.address()));
            QpAttr again = QpAttrLayout.read(to.address());
            assertThat(flat("", again, new LinkedHashMap<>()))
                    .isEqualTo(flat("", QpAttrLayout.read(from.address()), new LinkedHashMap<>()));
        }
    }

    private void objects(String architecture) throws ReflectiveOperationException {
        offset("ibv_device", "node_type", ffm("DEVICE_NODE_TYPE"));
        offset("ibv_device", "transport_type", ffm("DEVICE_TRANSPORT_TYPE"));
        offset("ibv_device", "name", ffm("DEVICE_NAME"));
        equal("sizeof(((struct ibv_device *)0)->name)", ffm("DEVICE_NAME_BYTES"));
        offset("ibv_mr", "lkey", FfmMemory.MR_LKEY);
        offset("ibv_mr", "rkey", FfmMemory.MR_RKEY);
        offset("ibv_cq", "cqe", FfmMemory.CQ_CQE);
        offset("ibv_cq", "context", 0);
        offset("ibv_qp", "qp_num", FfmAsyncEvents.QP_NUM);
        offset("ibv_srq", "context", 0);
        offset("ibv_comp_channel", "fd", ffm("CHANNEL_FD"));
        offset("ibv_qp", "context", 0);
        size("ibv_gid_entry", ffm("GID_ENTRY_BYTES"));
        offset("ibv_gid_entry", "gid_index", 16);
        offset("ibv_gid_entry", "port_num", 20);
        offset("ibv_gid_entry", "gid_type", 24);
        offset("ibv_gid_entry", "ndev_ifindex", 28);
        size("ibv_qp_init_attr", QpInitAttrLayout.SIZE);
        offset("ibv_qp_init_attr", "send_cq", QpInitAttrLayout.SEND_CQ);
        offset("ibv_qp_init_attr", "recv_cq", QpInitAttrLayout.RECV_CQ);
        offset("ibv_qp_init_attr", "srq", QpInitAttrLayout.SRQ);
        offset("ibv_qp_init_attr", "cap", QpInitAttrLayout.CAP);
        offset("ibv_qp_init_attr", "qp_type", QpInitAttrLayout.QP_TYPE);
        offset("ibv_qp_init_attr", "sq_sig_all", QpInitAttrLayout.SQ_SIG_ALL);
        size("ibv_srq_init_attr", SrqAttrLayout.INIT_ATTR_BYTES);
        offset("ibv_srq_init_attr", "attr", SrqAttrLayout.INIT_ATTR_ATTR);
        offset("ibv_context", "async_fd", constant(FfmAsyncEvents.class, "CONTEXT_ASYNC_FD"));
        size("ibv_async_event", constant(FfmAsyncEvents.class, "EVENT_BYTES"));
        offset("ibv_async_event", "element", 0);
        offset("ibv_async_event", "element.port_num", 0);
        offset("ibv_async_event", "event_type", constant(FfmAsyncEvents.class, "EVENT_TYPE"));
        for (String call : List.of("poll_cq", "req_notify_cq", "post_send", "post_recv", "post_srq_recv")) {
            offset("ibv_context", "ops." + call, provider("OPS_" + call.toUpperCase(Locale.ROOT)));
        }
        for (String call : List.of("alloc_mw", "bind_mw", "dealloc_mw")) {
            offset(
                    "ibv_context",
                    "ops." + call,
                    constant(FfmMemoryWindows.class, "OPS_" + call.toUpperCase(Locale.ROOT)));
        }
        for (String call :
                List.of("advise_mr", "reg_dm_mr", "alloc_dm", "free_dm", "alloc_parent_domain", "query_device_ex")) {
            equal(
                    "(long)offsetof(struct verbs_context, " + call
                            + ") - (long)offsetof(struct verbs_context, context)",
                    constant(FfmMemory.class, "VERBS_" + call.toUpperCase(Locale.ROOT)));
        }
        optional();
        equal("(long)sizeof(struct ibv_context)", ProviderCalls.abiCompat(architecture) + 8);
        offset("ibv_dm", "context", 0);
        offset("ibv_dm", "memcpy_to_dm", FfmMemory.DM_MEMCPY_TO);
        offset("ibv_dm", "memcpy_from_dm", FfmMemory.DM_MEMCPY_FROM);
        offset("ibv_pd", "context", 0);
        size("ibv_alloc_dm_attr", FfmMemory.ALLOC_DM_ATTR_BYTES);
        offset("ibv_alloc_dm_attr", "log_align_req", 8);
        size("ibv_parent_domain_init_attr", FfmMemory.PARENT_DOMAIN_INIT_ATTR_BYTES);
        offset("ibv_parent_domain_init_attr", "pd", 0);
        offset("ibv_parent_domain_init_attr", "td", FfmMemory.PARENT_DOMAIN_TD);
        size("ibv_device_attr_ex", DeviceAttrExLayout.SIZE);
        offset("ibv_device_attr_ex", "odp_caps.general_caps", DeviceAttrExLayout.GENERAL_CAPS);
        for (String transport : List.of("rc", "uc", "ud")) {
            offset(
                    "ibv_device_attr_ex",
                    "odp_caps.per_transport_caps." + transport + "_odp_caps",
                    constant(DeviceAttrExLayout.class, transport.toUpperCase(Locale.ROOT) + "_ODP_CAPS"));
        }
        for (String field : List.of(
                "completion_timestamp_mask", "hca_core_clock", "device_cap_flags_ex", "max_dm_size", "xrc_odp_caps")) {
            offset("ibv_device_attr_ex", field, constant(DeviceAttrExLayout.class, field.toUpperCase(Locale.ROOT)));
        }
        for (String field : List.of("qp_rate_limit_min", "qp_rate_limit_max", "supported_qpts")) {
            offset(
                    "ibv_device_attr_ex",
                    "packet_pacing_caps." + field,
                    constant(DeviceAttrExLayout.class, field.toUpperCase(Locale.ROOT)));
        }
        offset("ibv_mw", "context", 0);
        offset("ibv_mw", "rkey", constant(FfmMemoryWindows.class, "MW_RKEY"));
        offset("ibv_mw", "type", constant(FfmMemoryWindows.class, "MW_TYPE"));
        size("ibv_mw_bind", constant(FfmMemoryWindows.class, "MW_BIND_BYTES"));
        offset("ibv_mw_bind", "send_flags", 8);
        offset("ibv_mw_bind", "bind_info", constant(FfmMemoryWindows.class, "MW_BIND_INFO"));
        offset("ibv_mw_bind_info", "addr", 8);
        offset("ibv_mw_bind_info", "length", 16);
        offset("ibv_mw_bind_info", "mw_access_flags", 24);
        offset("ibv_send_wr", "bind_mw.mw", BindWr.MW);
        offset("ibv_send_wr", "bind_mw.rkey", BindWr.RKEY);
        offset("ibv_send_wr", "bind_mw.bind_info.mr", BindWr.MR);
        offset("ibv_send_wr", "bind_mw.bind_info.addr", BindWr.ADDR);
        offset("ibv_send_wr", "bind_mw.bind_info.length", BindWr.LENGTH);
        offset("ibv_send_wr", "bind_mw.bind_info.mw_access_flags", BindWr.MW_ACCESS_FLAGS);
        offset("ibv_context", "num_comp_vectors", ProviderCalls.NUM_COMP_VECTORS);
        offset("ibv_context", "abi_compat", ProviderCalls.abiCompat(architecture));
        String base = "(long)offsetof(struct verbs_context, context)";
        equal("(long)offsetof(struct verbs_context, sz) - " + base, provider("VERBS_SZ"));
        for (Field field : ProviderCalls.class.getDeclaredFields()) {
            if (field.getName().startsWith("VERBS_") && !field.getName().equals("VERBS_SZ")) {
                String name = field.getName().replaceFirst("VERBS_", "").toLowerCase(Locale.ROOT);
                String offset = "offsetof(struct verbs_context, " + name + ")";
                equal("(long)" + offset + " - " + base, provider(field.getName()));
                equal(
                        "(long)(sizeof(struct verbs_context) - " + offset + ")",
                        ProviderCalls.sizeFor(provider(field.getName()), architecture));
            }
        }
    }

    private void optional() throws ReflectiveOperationException {
        for (String call : List.of(
                "alloc_null_mr", "modify_qp_rate_limit", "dealloc_td", "alloc_td", "modify_cq", "query_rt_values")) {
            equal(
                    "(long)offsetof(struct verbs_context, " + call
                            + ") - (long)offsetof(struct verbs_context, context)",
                    constant(FfmOptional.class, "VERBS_" + call.toUpperCase(Locale.ROOT)));
        }
        size("ibv_modify_cq_attr", FfmOptional.MODIFY_CQ_ATTR_BYTES);
        offset("ibv_modify_cq_attr", "attr_mask", 0);
        offset("ibv_modify_cq_attr", "moderate.cq_count", FfmOptional.MODERATE_COUNT);
        offset("ibv_modify_cq_attr", "moderate.cq_period", FfmOptional.MODERATE_PERIOD);
        size("ibv_qp_rate_limit_attr", FfmOptional.RATE_LIMIT_ATTR_BYTES);
        offset("ibv_qp_rate_limit_attr", "rate_limit", 0);
        offset("ibv_qp_rate_limit_attr", "max_burst_sz", FfmOptional.RATE_LIMIT_BURST);
        offset("ibv_qp_rate_limit_attr", "typical_pkt_sz", FfmOptional.RATE_LIMIT_TYPICAL_PACKET);
        size("ibv_values_ex", FfmOptional.VALUES_BYTES);
        offset("ibv_values_ex", "comp_mask", 0);
        offset("ibv_values_ex", "raw_clock.tv_sec", FfmOptional.RAW_CLOCK_SECONDS);
        offset("ibv_values_ex", "raw_clock.tv_nsec", FfmOptional.RAW_CLOCK_NANOS);
        size("ibv_td_init_attr", FfmOptional.TD_INIT_ATTR_BYTES);
        offset("ibv_td", "context", 0);
    }

    private static long ffm(String constant) throws ReflectiveOperationException {
        return constant(FfmVerbs.class, constant);
    }

    private static long provider(String constant) throws ReflectiveOperationException {
        return constant(ProviderCalls.class, constant);
    }

    private static long constant(Class<?> of, String name) throws ReflectiveOperationException {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field.getLong(null);
    }

    private void offsets(String struct, int size, LongFunction<? extends Record> reader) {
        Map<String, Integer> found = new LinkedHashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            var memory = arena.allocate(size, 8);
            Map<String, String> zero = flat("", reader.apply(memory.address()), new LinkedHashMap<>());
            for (int at = 0; at < size; at++) {
                memory.fill((byte) 0).set(ValueLayout.JAVA_BYTE, at, (byte) 1);
                int offset = at;
                flat("", reader.apply(memory.address()), new LinkedHashMap<>()).forEach((name, value) -> {
                    if (!value.equals(zero.get(name))) {
                        found.putIfAbsent(name, offset);
                    }
                });
            }
            assertThat(found.keySet()).as("components of " + struct).isEqualTo(zero.keySet());
        }
        found.forEach((name, offset) -> offset(struct, name, offset));
    }

    private static Map<String, String> flat(String prefix, Record record, Map<String, String> into) {
        for (var component : record.getClass().getRecordComponents()) {
            Object value;
            try {
                var accessor = component.getAccessor();
                accessor.setAccessible(true);
                value = accessor.invoke(record);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
            String name = (prefix + snake(component.getName())).replaceFirst("^alt_path\\.", "alt_");
            if (value instanceof Record inner) {
                flat(name + ".", inner, into);
            } else {
                into.put(grh(name), value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value));
            }
        }
        return into;
    }

    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    /** Returns the path of a field of ibv_ah_attr; half of them lie in its ibv_global_route. */
    private static String grh(String name) {
        return name.replaceFirst(
                "^((?:alt_)?ah_attr\\.)?(dgid|flow_label|sgid_index|hop_limit|traffic_class)$", "$1grh.$2");
    }

    private void offset(String struct, String field, long value) {
        c.offset(struct, field, value);
    }

    private void size(String struct, long value) {
        c.size(struct, value);
    }

    private void equal(String expression, long value) {
        c.equal(expression, value);
    }
}
