package io.rdma.samples.learn;

import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import io.rdma.types.RemoteMemory;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * The address that one side of a connection sends to the other.
 *
 * @param qpNumber of its queue pair
 * @param psn of the first packet that it will send
 * @param lid of its port, 0 on Ethernet
 * @param mtu that is active on its port
 * @param gid of its port
 * @param memory that the other side may use
 */
record Address(int qpNumber, int psn, int lid, Mtu mtu, Gid gid, RemoteMemory memory) {
    void write(DataOutputStream out) throws IOException {
        byte[] encoded = new byte[RemoteMemory.ENCODED_BYTES];
        memory.encode(MemorySegment.ofArray(encoded));
        out.writeInt(qpNumber);
        out.writeInt(psn);
        out.writeInt(lid);
        out.writeInt(mtu.code());
        out.write(gid.bytes());
        out.write(encoded);
        out.flush();
    }

    static Address read(DataInputStream in) throws IOException {
        int qpNumber = in.readInt();
        int psn = in.readInt();
        int lid = in.readInt();
        Mtu mtu = Mtu.of(in.readInt());
        Gid gid = Gid.of(in.readNBytes(16));
        byte[] memory = in.readNBytes(RemoteMemory.ENCODED_BYTES);
        if (memory.length < RemoteMemory.ENCODED_BYTES) {
            throw new IOException("the peer closed the connection before its address was complete");
        }
        return new Address(qpNumber, psn, lid, mtu, gid, RemoteMemory.decode(MemorySegment.ofArray(memory)));
    }
}
