package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.testing.NextMessage;
import org.junit.jupiter.api.Test;

/**
 * Division of shared receive buffers, the same on every device: the buffers follow the messages under way, and no
 * connection takes more than its share.
 */
abstract class FairSharesContract extends SharedServerContract {
    @Test
    void buffersFollowTheMessagesUnderWayNotTheMessagesSent() throws Exception {
        assertThat(shared().made()).isEqualTo(FIRST);
        Endpoint server = connect();
        for (int i = 0; i < 2 * COUNT; i++) {
            flood(server, 1);
            NextMessage.at(server).close();
        }
        assertThat(shared().made()).as("one at a time needs no more").isEqualTo(FIRST);
        flood(server, 100);
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 100);
        assertThat(shared().made()).isEqualTo(COUNT);
        for (int i = 0; i < 100; i++) {
            NextMessage.at(server).close();
        }
        assertThat(failure).hasValue(null);
    }

    /** Lets connections hold their largest windows. So no window waits for receives, and only the device reports. */
    @Test
    void theDeviceReportsAfterEachRefillThatReceivesRunLow() throws Exception {
        int window = FIRST / 4;
        listen(window);
        for (int made = FIRST; made < COUNT; made *= 2) {
            assertThat(shared().made()).isEqualTo(made);
            Endpoint server = connect();
            flood(server, window);
            await().atMost(PATIENCE).until(() -> server.receives().outstanding() == window);
            int more = 2 * made;
            await().atMost(PATIENCE).until(() -> shared().made() == more);
        }
        assertThat(failure).hasValue(null);
    }

    @Test
    void aFirstWindowIsBackedByReceivesBeforeThePeerMaySend() throws Exception {
        for (int i = 0; i < 16; i++) {
            connect();
            assertThat(shared().promised()).isLessThanOrEqualTo(shared().made() - 16);
        }
        assertThat(shared().made()).isGreaterThan(FIRST);
    }

    /** Lets the applications of eight connections take nothing. Their peers use all that they were granted. */
    @Test
    void stalledConnectionsLeaveReceivesToTheOthers() throws Exception {
        for (int i = 0; i < 8; i++) {
            flood(connect(), 2 * COUNT);
        }
        awaitStalled();
        Endpoint modest = connect();
        for (int i = 0; i < COUNT; i++) {
            flood(modest, 1);
            NextMessage.at(modest).close();
        }
        assertThat(failure).hasValue(null);
        assertThat(served).noneMatch(Endpoint::isClosing);
    }

    @Test
    void aBusyConnectionBorrowsWhatNobodyNeedsAndGivesItBack() throws Exception {
        Endpoint hog = connect();
        flood(hog, 4 * COUNT);
        awaitStalled();
        await().atMost(PATIENCE).until(() -> hog.receives().window() > MOST / 4);
        assertThat(hog.receives().window()).isLessThanOrEqualTo(MOST / 2);
        for (int i = 0; i < 7; i++) {
            flood(connect(), 4 * COUNT);
        }
        awaitStalled();
        for (int i = 0; i < COUNT; i++) { // serves all alike
            served.forEach(one -> NextMessage.at(one).close());
        }
        awaitStalled();
        int equal = (MOST * 3 / 4 - 8 * EndpointOptions.CONTROL_RECEIVES) / 9;
        assertThat(served)
                .extracting(server -> server.receives().window())
                .allSatisfy(window -> assertThat(window).isBetween(equal * 2 / 3, equal * 3 / 2));
        assertThat(failure).hasValue(null);
    }

    @Test
    void aWindowGrowsToItsLargestByLessThanAThird() throws Exception {
        listen(80);
        Endpoint server = connect();
        flood(server, 2 * COUNT);
        await().atMost(PATIENCE).until(() -> server.receives().window() == 80);
    }

    @Test
    void anEndedConnectionKeepsNoMoreThanItsOpenMessages() throws Exception {
        Endpoint server = connect();
        flood(server, 2 * COUNT);
        awaitStalled();
        ReceivedMessage first = server.receives().poll();
        ReceivedMessage second = server.receives().poll();
        server.close();
        server.closed().join();
        server.receives().discard();
        assertThat(shared().promised()).isEqualTo(2);
        first.close();
        assertThat(shared().promised()).isEqualTo(1);
        second.close();
        assertThat(shared().promised()).isZero();
    }
}
