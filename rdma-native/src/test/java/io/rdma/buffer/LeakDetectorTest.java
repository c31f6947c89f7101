package io.rdma.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tests of leak detection, which depends on the garbage collector. Tests run with paranoid leak detection. */
class LeakDetectorTest {
    @Test
    void aBufferThatIsNeverClosedIsReportedOnceWithItsHistory() {
        StringBuffer trace = new StringBuffer();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                trace.append(entry.getMessage());
                for (Throwable t = entry.getThrown(); t != null; t = t.getCause()) {
                    trace.append(t.getMessage()).append(t.getStackTrace()[1].getClassName());
                    for (Throwable touched : t.getSuppressed()) {
                        trace.append(touched.getMessage());
                    }
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(LeakDetector.class.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed("soft0"));
                MemoryRegion region = resources.domain().allocate(4096, EnumSet.of(AccessFlag.LOCAL_WRITE))) {
            long before = LeakDetector.reported();
            closed(region);
            dropped(region);
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                System.gc();
                return LeakDetector.reported() > before;
            });
            assertThat(LeakDetector.reported()).isEqualTo(before + 1);
            assertThat(trace)
                    .contains("LEAK")
                    .contains("a buffer was leased here")
                    .contains("a send or write began");
            region.release(); // the hold of the lost buffer, so that the device can be closed here
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    private static void closed(MemoryRegion region) {
        for (int i = 0; i < 100; i++) {
            RegisteredBuffer.of(region, 0, 8).close();
        }
    }

    private static void dropped(MemoryRegion region) {
        RegisteredBuffer buffer = RegisteredBuffer.of(region, 0, 8);
        buffer.beginRead();
        buffer.endRead();
    }
}
