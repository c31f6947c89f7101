package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Table of objects by handle, compared with a list of the objects that are in it. */
class HandleTableTest {
    private static final int STEPS = 20_000;
    private static final int MOST = 1 << 20;

    private final HandleTable table = new HandleTable();

    private static class Made extends SoftObject {
        @Override
        public String struct() {
            return "made";
        }
    }

    private static final class Other extends Made {}

    @Test
    void exactlyTheObjectsThatAreInItAreFound() {
        SplittableRandom random = new SplittableRandom(1);
        List<Made> in = new ArrayList<>();
        List<Long> stale = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            if (in.isEmpty() || random.nextInt(100) < 52) {
                Made made = new Made();
                assertThat(table.add(made)).isEqualTo(made.handle);
                in.add(made);
            } else {
                Made gone = in.remove(random.nextInt(in.size()));
                table.remove(gone);
                table.remove(gone); // does nothing
                stale.add(gone.handle);
            }
        }
        assertThat(in).allMatch(made -> table.find(made.handle, Made.class) == made);
        assertThat(stale).allMatch(handle -> table.find(handle, Made.class) == null);
        assertThat(table.all(Made.class)).containsExactlyInAnyOrderElementsOf(in);
        assertThat(table.find(in.getFirst().handle, Other.class)).isNull();
    }

    @Test
    void anObjectBeyondTheLastHandleIsRefusedUntilOneIsRemoved() {
        Made first = new Made();
        table.add(first);
        for (int i = 1; i < MOST; i++) {
            table.add(new Made());
        }
        assertThatThrownBy(() -> table.add(new Made()))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("at most " + MOST);
        table.remove(first);
        Made again = new Made();
        table.add(again);
        assertThat(table.find(again.handle, Made.class)).isSameAs(again);
        assertThat(table.find(first.handle, Made.class)).isNull();
    }
}
