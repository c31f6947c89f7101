package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Map from int to object, compared with a {@link HashMap}. */
class IntTableTest {
    private static final int STEPS = 20_000;

    /** Few different keys are often removed and added again; many make the table grow, with long probes. */
    @ParameterizedTest
    @ValueSource(ints = {40, 1_000, 100_000})
    void itHasWhatWasPutAndNotRemoved(int keys) {
        SplittableRandom random = new SplittableRandom(keys);
        IntTable<Integer> table = new IntTable<>();
        Map<Integer, Integer> model = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            int key = random.nextInt(keys) << 8;
            if (model.containsKey(key)) {
                table.remove(key);
                model.remove(key);
            } else {
                table.put(key, step);
                model.put(key, step);
            }
            int asked = random.nextInt(keys) << 8;
            assertThat(table.get(asked)).isEqualTo(model.get(asked));
        }
        for (int key = 0; key < keys; key++) {
            assertThat(table.get(key << 8)).isEqualTo(model.get(key << 8));
        }
    }
}
