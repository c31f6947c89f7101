package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.types.Errno;
import io.rdma.types.RdmaException;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.lang.foreign.Arena;
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

    @Test
    void aCallThatTheDeviceLacksSaysSo() {
        for (String call : new String[] {"ibv_alloc_dm", "ibv_advise_mr", "ibv_alloc_parent_domain"}) {
            for (int errno : new int[] {Errno.EOPNOTSUPP, Errno.ENOSYS}) {
                assertThat(Remedy.failed(call, errno)).hasMessageContaining("or its provider does not support");
            }
        }
    }

    /** The numbers are those of {@code enum ibv_rereg_mr_err_code}. */
    @Test
    void aRegionThatIsReregisteredIsTheOldOneOrTheNewOneOrNone() {
        try (Arena arena = Arena.ofConfined()) {
            long mr = arena.allocate(64, 8).address();
            NativeMemory.putInt(mr + FfmMemory.MR_LKEY, 17);
            for (int result : new int[] {0, -3}) {
                assertThat(FfmMemory.reregistered(mr, result, Errno.EINVAL).lkey())
                        .isEqualTo(17);
            }
            for (int result : new int[] {-1, -2}) {
                assertThatThrownBy(() -> FfmMemory.reregistered(mr, result, Errno.EINVAL))
                        .hasMessageContaining("The region is unchanged");
            }
            for (int result : new int[] {-4, -5}) {
                assertThatThrownBy(() -> FfmMemory.reregistered(mr, result, Errno.EINVAL))
                        .hasMessageContaining("must not be used any more");
            }
            assertThatThrownBy(() -> FfmMemory.reregistered(mr, -4, Errno.EOPNOTSUPP))
                    .hasMessageContaining("The region is unchanged");
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
