package io.rdma.samples.pingpong;

import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.RdmaException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.GlobalRoute;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address that the two ends of {@code ibv_rc_pingpong} and its siblings exchange: LID, queue pair number, PSN and
 * GID in hexadecimal with colons between, and a NUL; 52 bytes.
 *
 * @param lid 16 bits
 * @param qpNumber 24 bits
 * @param psn 24 bits
 * @param gid of the port
 */
record PingPongAddress(int lid, int qpNumber, int psn, Gid gid) {
    static final int BYTES = 52;
    private static final Pattern FORM =
            Pattern.compile("([0-9a-fA-F]{4}):([0-9a-fA-F]{6}):([0-9a-fA-F]{6}):([0-9a-fA-F]{32})\0");

    byte[] encode() {
        String text = String.format(
                "%04x:%06x:%06x:%s\0", lid, qpNumber, psn, HexFormat.of().formatHex(gid.bytes()));
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Decodes an address.
     *
     * @throws RdmaException if the bytes do not have that form
     */
    static PingPongAddress decode(byte[] bytes) {
        Matcher m = FORM.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!m.matches()) {
            throw new RdmaException(
                    "the peer does not speak the handshake of ibv_rc_pingpong: run that program, or pingpong, there");
        }
        return new PingPongAddress(
                Integer.parseInt(m.group(1), 16),
                Integer.parseInt(m.group(2), 16),
                Integer.parseInt(m.group(3), 16),
                Gid.of(HexFormat.of().parseHex(m.group(4))));
    }

    /** Returns the address that stands for a queue pair that is not there. */
    static PingPongAddress none() {
        return new PingPongAddress(0, 0, 0, Gid.of(new byte[16]));
    }

    /** Returns the path to this address from a local GID. */
    AddressHandleAttributes path(PingPongOptions options, GidTableEntry from) {
        AddressHandleAttributes path = gid.isZero()
                ? AddressHandleAttributes.of(lid, options.ibPort)
                : AddressHandleAttributes.of(GlobalRoute.to(gid, from.index()), options.ibPort)
                        .withDlid(lid);
        return path.withServiceLevel(options.serviceLevel);
    }

    /** Returns the line that {@code ibv_rc_pingpong} prints. */
    String line(String which) {
        String address = gid.toAddress() instanceof java.net.Inet4Address v4
                ? "::ffff:" + v4.getHostAddress()
                : gid.toAddress().getHostAddress();
        return String.format(
                "  %s address:%s LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s",
                which, which.equals("local") ? " " : "", lid, qpNumber, psn, address);
    }
}
