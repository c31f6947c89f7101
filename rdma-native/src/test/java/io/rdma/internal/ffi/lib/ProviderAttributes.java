package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.putByte;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;
import static io.rdma.internal.ibv.NativeMemory.putShort;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.PortAttr;
import java.nio.charset.StandardCharsets;

/** Attributes that only a provider writes: the inverse of {@link DeviceAttrLayout} and {@link PortAttrLayout}. */
final class ProviderAttributes {
    private ProviderAttributes() {}

    static void write(long a, DeviceAttr v) {
        byte[] version = v.fwVer().getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < version.length; i++) {
            putByte(a + i, version[i]);
        }
        putLong(a + 64, Long.reverseBytes(v.nodeGuid()));
        putLong(a + 72, Long.reverseBytes(v.sysImageGuid()));
        putLong(a + 80, v.maxMrSize());
        putLong(a + 88, v.pageSizeCap());
        int[] words = {
            v.vendorId(),
            v.vendorPartId(),
            v.hwVer(),
            v.maxQp(),
            v.maxQpWr(),
            v.deviceCapFlags(),
            v.maxSge(),
            v.maxSgeRd(),
            v.maxCq(),
            v.maxCqe(),
            v.maxMr(),
            v.maxPd(),
            v.maxQpRdAtom(),
            v.maxEeRdAtom(),
            v.maxResRdAtom(),
            v.maxQpInitRdAtom(),
            v.maxEeInitRdAtom(),
            v.atomicCap()
        };
        for (int i = 0; i < words.length; i++) {
            putInt(a + 96 + 4L * i, words[i]);
        }
        putInt(a + 176, v.maxMw());
        putInt(a + 188, v.maxMcastGrp());
        putInt(a + 192, v.maxMcastQpAttach());
        putInt(a + 200, v.maxAh());
        putInt(a + 212, v.maxSrq());
        putInt(a + 216, v.maxSrqWr());
        putInt(a + 220, v.maxSrqSge());
        putShort(a + 224, (short) v.maxPkeys());
        putByte(a + 226, (byte) v.localCaAckDelay());
        putByte(a + 227, (byte) v.physPortCnt());
    }

    /** Writes the extended attributes that a structure of some bytes has. */
    static void write(long a, long size, DeviceAttrEx v) {
        if (size >= DeviceAttrExLayout.SIZE) {
            putLong(a + DeviceAttrExLayout.GENERAL_CAPS, v.generalOdpCaps());
            putInt(a + DeviceAttrExLayout.RC_ODP_CAPS, v.rcOdpCaps());
            putInt(a + DeviceAttrExLayout.UC_ODP_CAPS, v.ucOdpCaps());
            putInt(a + DeviceAttrExLayout.UD_ODP_CAPS, v.udOdpCaps());
            putInt(a + DeviceAttrExLayout.XRC_ODP_CAPS, v.xrcOdpCaps());
        }
    }

    static void write(long a, PortAttr v) {
        int[] words = {
            v.state(),
            v.maxMtu(),
            v.activeMtu(),
            v.gidTblLen(),
            v.portCapFlags(),
            v.maxMsgSz(),
            v.badPkeyCntr(),
            v.qkeyViolCntr()
        };
        for (int i = 0; i < words.length; i++) {
            putInt(a + 4L * i, words[i]);
        }
        putShort(a + 32, (short) v.pkeyTblLen());
        putShort(a + 34, (short) v.lid());
        putShort(a + 36, (short) v.smLid());
        int[] bytes = {
            v.lmc(),
            v.maxVlNum(),
            v.smSl(),
            v.subnetTimeout(),
            v.initTypeReply(),
            v.activeWidth(),
            v.activeSpeed(),
            v.physState(),
            v.linkLayer()
        };
        for (int i = 0; i < bytes.length; i++) {
            putByte(a + 38 + i, (byte) bytes[i]);
        }
        putShort(a + 48, (short) v.portCapFlags2());
    }
}
