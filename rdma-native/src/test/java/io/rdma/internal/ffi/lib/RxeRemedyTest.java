package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Messages for a user without rights on a real device. The kernel and libibverbs decide which call fails, this library
 * decides on the message. The test needs root to become that user.
 */
@Tag("rxe")
class RxeRemedyTest {
    private static final Path UVERBS = Path.of("/dev/infiniband/uverbs0");

    @BeforeEach
    void needsRootAndADevice() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can become another user");
        TestDevice.assumedInfiniBand(TestDevice.real());
    }

    @Test
    void noPermissionNamesTheFiles() throws IOException, InterruptedException {
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(UVERBS);
        Files.setPosixFilePermissions(UVERBS, PosixFilePermissions.fromString("rw-------"));
        try {
            assertThat(asNobody(List.of(), 4096)).contains("ibv_open_device").contains("/dev/infiniband/uverbs");
        } finally {
            Files.setPosixFilePermissions(UVERBS, before);
        }
    }

    @Test
    void tooLittleLockableMemoryNamesTheLimit() throws IOException, InterruptedException {
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(UVERBS);
        Files.setPosixFilePermissions(UVERBS, PosixFilePermissions.fromString("rw-rw-rw-"));
        try {
            List<String> limit = List.of("prlimit", "--memlock=262144");
            assertThat(asNobody(limit, 4096)).isEqualTo("registered\n");
            assertThat(asNobody(limit, 1 << 20))
                    .contains("ibv_reg_mr")
                    .contains("ENOMEM")
                    .contains("262144 bytes (RLIMIT_MEMLOCK)");
        } finally {
            Files.setPosixFilePermissions(UVERBS, before);
        }
    }

    private static String asNobody(List<String> limit, int bytes) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(limit);
        command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"));
        command.addAll(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                System.getProperty("java.class.path"),
                Registering.class.getName(),
                Integer.toString(bytes)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
