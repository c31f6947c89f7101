package io.rdma.internal.ffi.lib;

import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevices;
import java.util.EnumSet;

/** A process that registers the given number of bytes and prints the result. */
final class Registering {
    private Registering() {}

    public static void main(String[] args) {
        try (DeviceContext context = RdmaDevices.named("rxe0").open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            domain.allocate(Integer.parseInt(args[0]), EnumSet.of(AccessFlag.LOCAL_WRITE))
                    .close();
            System.out.println("registered");
        } catch (RdmaException e) {
            System.out.println(e.getMessage());
        }
    }
}
