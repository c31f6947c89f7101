package io.rdma.internal.ffi.lib;

import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevices;
import io.rdma.verbs.RdmaException;
import java.util.EnumSet;

/** A process that registers as many bytes as it is told, and says how that went. */
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
