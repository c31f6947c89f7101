package io.rdma.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.bench.TransportRequest.Stream;
import org.junit.jupiter.api.Test;

class TransportRequestTest {
    @Test
    void theRateOfSmallMessagesIsTheirNumber() {
        Stream small = new Stream(10_000, 64);
        assertThat(small.rate(50)).isEqualTo(500);
        assertThat(small.rateUnit()).isEqualTo("messages/ms");
        assertThat(small.time(20_000)).isEqualTo(2);
        assertThat(small.timeUnit()).isEqualTo("us/message");
    }

    @Test
    void theRateOfLargeMessagesIsThatOfTheirBytes() {
        Stream large = new Stream(1_000, 5_000);
        assertThat(large.rate(50)).isEqualTo(250);
        assertThat(large.rateUnit()).isEqualTo("MB/s");
        assertThat(large.time(20_000)).isEqualTo(4_000);
        assertThat(large.timeUnit()).isEqualTo("us/MB");
    }
}
