package io.rdma.samples.devinfo;

import io.rdma.types.LinkLayer;

/**
 * Names of the codes of a port as {@code ibv_devinfo} of rdma-core spells them; IB specification volume 1,
 * 14.2.5.6 PortInfo.
 */
final class PortText {
    private PortText() {}

    static String linkLayer(LinkLayer layer) {
        return switch (layer) {
            case ETHERNET -> "Ethernet";
            case INFINIBAND -> "InfiniBand";
            default -> "Unspecified";
        };
    }

    static String width(int code) {
        String lanes = switch (code) {
            case 1 -> "1";
            case 2 -> "4";
            case 4 -> "8";
            case 8 -> "12";
            case 16 -> "2";
            default -> "?";
        };
        return lanes + "X (" + code + ")";
    }

    static String speed(int code) {
        String gigabits = switch (code) {
            case 1 -> "2.5";
            case 2 -> "5.0";
            case 4, 8 -> "10.0";
            case 16 -> "14.0";
            case 32 -> "25.0";
            case 64 -> "50.0";
            case 128 -> "100.0";
            default -> "?";
        };
        return gigabits + " Gbps (" + code + ")";
    }

    static String physicalState(int code) {
        String name = switch (code) {
            case 1 -> "SLEEP";
            case 2 -> "POLLING";
            case 3 -> "DISABLED";
            case 4 -> "PORT_CONFIGURATION TRAINNING"; // spelled as in rdma-core
            case 5 -> "LINK_UP";
            case 6 -> "LINK_ERROR_RECOVERY";
            case 7 -> "PHY TEST";
            default -> "invalid physical state";
        };
        return name + " (" + code + ")";
    }
}
