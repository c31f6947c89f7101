package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("rxe")
class RxeSamplesContractTest extends SamplesContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String address() {
        return "10.77.0.1";
    }

    /** Compares the output with that of rdma-core's own program for the same device. */
    @Test
    void devinfoAgreesWithIbvDevinfo() throws Exception {
        Process ibvDevinfo = new ProcessBuilder("ibv_devinfo", "-v", "-d", device()).start();
        Map<String, String> expected =
                rows(new String(ibvDevinfo.getInputStream().readAllBytes()));
        try (JavaProcess devinfo = JavaProcess.inResident(Main.class, "devinfo", "-v", "--device", device())) {
            Map<String, String> actual = rows(devinfo.ended(0).output());
            actual.keySet().retainAll(expected.keySet());
            assertThat(actual).hasSizeGreaterThan(35);
            expected.keySet().retainAll(actual.keySet());
            assertThat(actual).containsExactlyInAnyOrderEntriesOf(expected);
        }
    }

    private static Map<String, String> rows(String output) {
        Map<String, String> rows = new LinkedHashMap<>();
        output.lines().map(String::strip).filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            rows.put(
                    line.substring(0, colon),
                    line.substring(colon + 1).strip().replaceAll("\\s+", " ").replace("::ffff:", ""));
        });
        return rows;
    }
}
