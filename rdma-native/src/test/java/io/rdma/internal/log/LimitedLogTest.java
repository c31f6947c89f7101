package io.rdma.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Limit of one log record per second. Each record counts those that were left out. */
class LimitedLogTest {
    private final AtomicLong now = new AtomicLong();
    private final List<String> records = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord one) {
            records.add(one.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @Test
    void furtherRecordsWithinASecondAreCounted() {
        Logger logger = Logger.getLogger(LimitedLogTest.class.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            LimitedLog log = new LimitedLog(LimitedLogTest.class, now::get);
            for (int i = 0; i < 1000; i++) {
                log.log(Level.WARNING, "again", null);
                now.addAndGet(TimeUnit.MILLISECONDS.toNanos(2)); // two seconds in all
            }
            assertThat(records).containsExactly("again", "again (and 499 more since the last record)");
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }
}
