package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An object is not destroyed while a call of another thread uses it. */
class CallsUnderWayTest {
    private static final String END = "ibv_dealloc_pd";

    private final CallsUnderWay calls = new CallsUnderWay("ProtectionDomain");
    private final AtomicInteger destroyed = new AtomicInteger();

    private void end() {
        calls.end(END, destroyed::incrementAndGet);
    }

    private String endDuringCall() {
        assertThatThrownBy(this::end)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        return "made";
    }

    @Test
    void anObjectIsNotDestroyedDuringACall() {
        assertThat(calls.make(this::endDuringCall)).isEqualTo("made");
        assertThat(destroyed).hasValue(0);
        end();
        assertThat(destroyed).hasValue(1);
    }

    @Test
    void aProtectionDomainIsNotClosedDuringARegistration() {
        FaultyDevice faults = new FaultyDevice();
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            faults.nextRuns.put(
                    "regMr",
                    () -> assertThatThrownBy(domain::close)
                            .isInstanceOf(VerbsException.class)
                            .hasMessageContaining("EBUSY"));
            domain.allocate(8, Set.of(AccessFlag.LOCAL_WRITE)).close();
            assertThat(faults.nextRuns).isEmpty();
            assertThat(domain.isClosed()).isFalse();
        }
    }

    @Test
    void aCallThatThrowsIsOver() {
        assertThatThrownBy(() -> calls.make(() -> {
                    throw new IllegalArgumentException("a test's");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        end();
        assertThat(destroyed).hasValue(1);
    }

    @Test
    void noCallBeginsOnceTheObjectIsDestroyed() {
        end();
        assertThatThrownBy(() -> calls.make(this::endDuringCall))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("ProtectionDomain is closed");
    }

    @Test
    void anObjectThatTheDeviceKeepsCanBeUsedAndDestroyedAgain() {
        assertThatThrownBy(() -> calls.end(END, () -> {
                    throw new InternalError("a test's");
                }))
                .isInstanceOf(InternalError.class);
        assertThat(calls.make(this::endDuringCall)).isEqualTo("made");
        end();
        assertThat(destroyed).hasValue(1);
    }
}
