package io.rdma.internal.soft.objects;

/** Outcome of an access of the device to registered memory. */
public enum Access {
    /** The bytes are copied, or can be. */
    DONE,
    /** Key, domain, rights or range do not match, or memory of an on-demand region is not mapped. */
    REFUSED,
    /** A page was missing. It is there now, so that the same access can be done in a later run. */
    PAGE_FAULT
}
