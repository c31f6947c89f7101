package io.rdma.internal.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Waits on a descriptor. A wait on a descriptor that can have no further event ends with an exception. If it ended like
 * a wake-up, the caller would wait again at once, for ever.
 */
class WakeableDescriptorTest {
    @BeforeEach
    void assumeLinux() {
        assumeThat(SixLongs.supported()).as("eventfd(2)").isTrue();
    }

    @Test
    void aWaitOnADescriptorThatIsNotOpenFails() {
        WakeableDescriptor closed = new WakeableDescriptor(1 << 20);
        assertThatThrownBy(() -> closed.await(-1))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        closed.close();
    }

    @Test
    void aWaitTellsAnEventFromAWakeUp() {
        int fd = Libc.eventfd(0, Libc.EFD_CLOEXEC | Libc.EFD_NONBLOCK);
        WakeableDescriptor descriptor = new WakeableDescriptor(fd);
        assertThat(descriptor.await(0)).isFalse();
        descriptor.wake();
        assertThat(descriptor.await(-1)).isFalse();
        LinuxSockets.signal(fd);
        assertThat(descriptor.await(-1)).isTrue();
        descriptor.close();
        Libc.close(fd);
    }
}
