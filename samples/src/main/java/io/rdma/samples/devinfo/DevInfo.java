package io.rdma.samples.devinfo;

import io.rdma.soft.SoftNetwork;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.GidTableEntry;
import io.rdma.types.PortAttributes;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A command that shows what {@code ibv_devinfo -v} shows, for every device including the software device. */
@Command(name = "devinfo", mixinStandardHelpOptions = true, description = "Show devices, as ibv_devinfo -v does.")
public final class DevInfo implements Callable<Integer> {
    @Option(
            names = {"-d", "--device", "--ib-dev"},
            paramLabel = "NAME",
            description = "Show only this device.")
    private @Nullable String name;

    @Option(names = "-v", description = "Show counters of the software device, too; attributes are always shown.")
    private boolean everything;

    @Override
    public Integer call() {
        List<RdmaDevice> devices = name == null ? RdmaDevices.list() : List.of(RdmaDevices.named(name));
        int status = 0;
        for (RdmaDevice device : devices) {
            try {
                show(device);
            } catch (VerbsException e) { // one device without access must not hide the others
                System.out.println("\t" + e.getMessage());
                status = 1;
            }
        }
        return status;
    }

    private void show(RdmaDevice device) {
        System.out.println("hca_id: " + device.name());
        row(1, "transport", device.transportType() == 0 ? "InfiniBand (0)" : "iWARP (1)");
        try (DeviceContext context = device.open()) {
            DeviceAttributes a = context.queryDevice();
            row(1, "fw_ver", a.fwVer());
            row(1, "node_guid", guid(a.nodeGuid()));
            row(1, "sys_image_guid", guid(a.sysImageGuid()));
            row(1, "vendor_id", String.format("0x%04x", a.vendorId()));
            row(1, "vendor_part_id", a.vendorPartId());
            row(1, "hw_ver", String.format("0x%X", a.hwVer()));
            row(1, "phys_port_cnt", a.physPortCnt());
            row(1, "max_mr_size", "0x" + Long.toHexString(a.maxMrSize()));
            row(1, "page_size_cap", "0x" + Long.toHexString(a.pageSizeCap()));
            row(1, "max_qp", a.maxQp());
            row(1, "max_qp_wr", a.maxQpWr());
            row(1, "device_cap_flags", String.format("0x%08x", a.deviceCapFlags()));
            row(1, "max_sge", a.maxSge());
            row(1, "max_sge_rd", a.maxSgeRd());
            row(1, "max_cq", a.maxCq());
            row(1, "max_cqe", a.maxCqe());
            row(1, "max_mr", a.maxMr());
            row(1, "max_pd", a.maxPd());
            row(1, "max_qp_rd_atom", a.maxQpRdAtom());
            row(1, "max_res_rd_atom", a.maxResRdAtom());
            row(1, "max_qp_init_rd_atom", a.maxQpInitRdAtom());
            row(
                    1,
                    "atomic_cap",
                    "ATOMIC_" + a.atomicCap() + " (" + a.atomicCap().code() + ")");
            row(1, "max_mw", a.maxMw());
            row(1, "max_mcast_grp", a.maxMcastGrp());
            row(1, "max_mcast_qp_attach", a.maxMcastQpAttach());
            row(1, "max_ah", a.maxAh());
            row(1, "max_srq", a.maxSrq());
            row(1, "max_srq_wr", a.maxSrqWr());
            row(1, "max_srq_sge", a.maxSrqSge());
            row(1, "max_pkeys", a.maxPkeys());
            row(1, "local_ca_ack_delay", a.localCaAckDelay());
            for (int port = 1; port <= a.physPortCnt(); port++) {
                show(context, port);
            }
            if (everything && device.isSoftware()) {
                row(1, "counters", "of this process");
                SoftNetwork.ofThisProcess().counters().forEach((counter, value) -> row(2, counter, value));
            }
        }
        System.out.println();
    }

    private static void show(DeviceContext context, int port) {
        PortAttributes p = context.queryPort(port);
        row(2, "port", port);
        row(3, "state", "PORT_" + p.state() + " (" + p.state().code() + ")");
        row(3, "max_mtu", p.maxMtu().bytes() + " (" + p.maxMtu().code() + ")");
        row(3, "active_mtu", p.activeMtu().bytes() + " (" + p.activeMtu().code() + ")");
        row(3, "sm_lid", p.smLid());
        row(3, "port_lid", p.lid());
        row(3, "link_layer", PortText.linkLayer(p.linkLayer()));
        row(3, "max_msg_sz", "0x" + Long.toHexString(p.maxMessageSize()));
        row(3, "gid_tbl_len", p.gidTableLength());
        row(3, "pkey_tbl_len", p.pkeyTableLength());
        row(3, "active_width", PortText.width(p.activeWidth()));
        row(3, "active_speed", PortText.speed(p.activeSpeed()));
        row(3, "phys_state", PortText.physicalState(p.physicalState()));
        for (GidTableEntry gid : context.queryGidTable()) {
            if (gid.port() == port) {
                row(3, "GID[" + gid.index() + "]", gid.gid() + ", " + gid.type());
            }
        }
    }

    private static String guid(long guid) {
        return String.format(
                "%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff, guid & 0xffff);
    }

    private static void row(int depth, String key, Object value) {
        System.out.printf("%s%-24s%s%n", "\t".repeat(depth), key + ":", value);
    }
}
