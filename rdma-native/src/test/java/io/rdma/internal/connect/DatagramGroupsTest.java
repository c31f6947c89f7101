package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.testing.seam.SeamFault;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups of a datagram endpoint on a device that refuses to detach a queue pair, which then cannot be destroyed. */
class DatagramGroupsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DETACH = "DatagramVerbs.detachMcast";

    private static FaultySeam failing(SeamFault.Kind kind, int times) {
        List<SeamFault> faults = IntStream.rangeClosed(1, times)
                .mapToObj(number -> new SeamFault(DETACH, number, kind))
                .toList();
        return new FaultySeam(SoftVerbs.shared(), faults);
    }

    private static DatagramBinding bound(DeviceResources resources) {
        return DatagramBinding.bind(resources, ConnectionOptions.DEFAULT, new InetSocketAddress("127.0.0.1", 0));
    }

    private static InetAddress group(int number) throws Exception {
        return InetAddress.getByName("239.77.79." + number);
    }

    private static void join(DatagramBinding binding, int group) throws Exception {
        binding.join(group(group)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(
            value = SeamFault.Kind.class,
            names = {"ERRNO", "EXCEPTION", "ERROR"})
    void aCloseRepeatsADetachThatFailed(SeamFault.Kind kind) throws Exception {
        FaultySeam seam = failing(kind, 1);
        try (DeviceResources resources = new DeviceResources(seam.device("soft0"))) {
            DatagramBinding binding = bound(resources);
            join(binding, 1);
            join(binding, 2);
        }
        assertThat(seam.struck()).hasSize(1);
        await().atMost(PATIENCE).until(() -> seam.left().isEmpty());
    }

    @Test
    void aGroupThatWasNotDetachedIsLeftByTheClose() throws Exception {
        FaultySeam seam = failing(SeamFault.Kind.ERRNO, 2);
        try (DeviceResources resources = new DeviceResources(seam.device("soft0"))) {
            DatagramBinding binding = bound(resources);
            join(binding, 1);
            assertThatThrownBy(() -> binding.leave(group(1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(VerbsException.class);
        }
        assertThat(seam.struck()).hasSize(2);
        await().atMost(PATIENCE).until(() -> seam.left().isEmpty());
    }
}
