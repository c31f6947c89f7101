package io.rdma.internal.close;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.CapturedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clean-up of an unfinished construction, where the closes of several resources throw. */
class CleanupStackTest {
    private final List<String> closed = new ArrayList<>();

    private AutoCloseable resource(String name, Throwable failure) {
        return () -> {
            closed.add(name);
            if (failure instanceof Error e) {
                throw e;
            }
            if (failure instanceof Exception e) {
                throw e;
            }
        };
    }

    /** Fails a construction after its third resource. The caller of this gets the failure of the construction. */
    private void construct(Error failure, Throwable atFirst, Throwable atSecond, Throwable atThird) {
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(resource("first", atFirst));
            cleanup.add(resource("second", atSecond));
            cleanup.add(resource("third", atThird));
            throw failure;
        }
    }

    @Test
    void anErrorOfOneCloseSkipsNoOther() {
        Error failure = new AssertionError("a test's");
        Error newest = new InternalError("a test's");
        Exception oldest = new IOException("a test's");
        try (CapturedLog log = new CapturedLog(CleanupStack.class.getName())) {
            assertThatThrownBy(() -> construct(failure, oldest, null, newest)).isSameAs(failure);
            assertThat(log.lines()).containsExactly("SEVERE clean-up failed");
        }
        assertThat(closed).containsExactly("third", "second", "first");
        assertThat(newest).hasSuppressedException(oldest);
    }

    @Test
    void anExceptionIsAWarning() {
        Error failure = new AssertionError("a test's");
        try (CapturedLog log = new CapturedLog(CleanupStack.class.getName())) {
            assertThatThrownBy(() -> construct(failure, null, new IOException("a test's"), null))
                    .isSameAs(failure);
            assertThat(log.lines()).containsExactly("WARNING clean-up failed");
        }
        assertThat(closed).containsExactly("third", "second", "first");
    }

    /** The virtual machine throws one and the same OutOfMemoryError again when it has no memory for another. */
    @Test
    void theSameErrorMayBeThrownByTheConstructionAndByEachClose() {
        Error failure = new OutOfMemoryError("a test's");
        try (CapturedLog log = new CapturedLog(CleanupStack.class.getName())) {
            assertThatThrownBy(() -> construct(failure, failure, failure, failure))
                    .isSameAs(failure);
            assertThat(log.lines()).containsExactly("SEVERE clean-up failed");
        }
        assertThat(closed).containsExactly("third", "second", "first");
        assertThat(failure).hasNoSuppressedExceptions();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsClosedThatIsKept(boolean kept) {
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(resource("first", null));
            if (kept) {
                cleanup.keep();
            }
        }
        assertThat(closed.isEmpty()).isEqualTo(kept);
    }
}
