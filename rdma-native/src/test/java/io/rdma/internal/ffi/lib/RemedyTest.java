package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Messages about missing libraries, permissions and limits. They name the cause and the remedy. */
class RemedyTest {
    @Test
    void aLibraryThatIsMissingIsNamedWithItsPackage() {
        assertThatThrownBy(() -> LibIbverbs.load("libnosuchverbs.so.1"))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("libnosuchverbs.so.1")
                .hasMessageContaining("libibverbs1")
                .hasMessageContaining("software device");
    }

    @Test
    void aLibraryOfAnotherKindIsNamedWithWhatItLacks() {
        assertThatThrownBy(() -> LibIbverbs.load("libc.so.6"))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("ibv_get_device_list")
                .hasMessageContaining("not libibverbs");
    }

    @Test
    void theSoftwareDeviceIsThereWhateverIsMissing() {
        assertThat(RdmaDevices.list()).anyMatch(device -> device.isSoftware() && "soft0".equals(device.name()));
    }

    @Test
    void noPermissionNamesTheFiles() {
        for (int errno : new int[] {Errno.EACCES, Errno.EPERM, Errno.ENOENT}) {
            assertThat(Remedy.failed("ibv_open_device", errno))
                    .hasMessageContaining("/dev/infiniband/uverbs")
                    .hasMessageContaining("group");
        }
    }

    /** The message contains the soft limit, which is the first value of the line in /proc/self/limits. */
    @Test
    void tooLittleLockableMemoryNamesTheLimit() throws IOException {
        Matcher limits = Pattern.compile("Max locked memory\\s+(\\d+|unlimited)")
                .matcher(Files.readString(Path.of("/proc/self/limits")));
        assertThat(limits.find()).isTrue();
        for (String call : new String[] {"ibv_reg_mr_iova2", "ibv_create_qp", "ibv_create_cq"}) {
            assertThat(Remedy.failed(call, Errno.ENOMEM))
                    .hasMessageContaining(limits.group(1))
                    .hasMessageContaining("ulimit -l");
        }
    }
}
