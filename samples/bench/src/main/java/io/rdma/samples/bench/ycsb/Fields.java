package io.rdma.samples.bench.ycsb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

// Format: for each field the length of its name (2), the length of its content (2), name, content.

/** The fields of a record of YCSB, which a store keeps as one value. */
final class Fields {
    private static final int HEAD = 2 * Short.BYTES;
    private static final int LONGEST = 0xffff;

    private Fields() {}

    /** Returns the length of a value that has a number of fields of equal size. */
    static int encodedBytes(int fields, int nameBytes, int contentBytes) {
        return fields * (HEAD + nameBytes + contentBytes);
    }

    static byte[] encode(Map<String, byte[]> fields) {
        Map<byte[], byte[]> named = new LinkedHashMap<>();
        int length = 0;
        for (Map.Entry<String, byte[]> field : fields.entrySet()) {
            byte[] name = field.getKey().getBytes(StandardCharsets.UTF_8);
            if (name.length > LONGEST || field.getValue().length > LONGEST) {
                throw new IllegalArgumentException("field " + field.getKey() + " has " + field.getValue().length
                        + " bytes, and a name of " + name.length + ": use " + LONGEST + " at most");
            }
            named.put(name, field.getValue());
            length += HEAD + name.length + field.getValue().length;
        }
        ByteBuffer value = ByteBuffer.allocate(length);
        named.forEach((name, content) -> value.putShort((short) name.length)
                .putShort((short) content.length)
                .put(name)
                .put(content));
        return value.array();
    }

    static Map<String, byte[]> decode(byte[] value) {
        Map<String, byte[]> fields = new LinkedHashMap<>();
        ByteBuffer rest = ByteBuffer.wrap(value);
        while (rest.hasRemaining()) {
            byte[] name = new byte[Short.toUnsignedInt(rest.getShort())];
            byte[] content = new byte[Short.toUnsignedInt(rest.getShort())];
            rest.get(name).get(content);
            fields.put(new String(name, StandardCharsets.UTF_8), content);
        }
        return fields;
    }
}
