//! C semantics: what programs print must be what gcc's code prints.

mod common;

use common::{prints, prints_in};
use expect_test::expect;
use summa_c::types::DataModel;

#[test]
fn integers_promote_wrap_and_convert() {
    expect![[r#"
        -56 200 56 4294967295
        -1 1 0
        1 4294967286
        -2 -1 2 1073741822
    "#]]
    .assert_eq(&prints(
        r#"int main(void) {
            signed char c = (signed char)200; unsigned char u = (unsigned char)200; unsigned m = -1;
            printf("%d %d %d %u\n", c, u, (signed char)(u + c * 0 + 112), m);
            printf("%d %d %d\n", -1 >> 1, (unsigned char)-1 >> 7, -1 < 0u);
            printf("%d %u\n", (_Bool)256, (unsigned)-10);
            printf("%d %d %d %u\n", -5 / 2, -5 % 2, 5 / 2, (unsigned)-5 >> 2);
            return 0; }"#,
    ));
}

#[test]
fn long_follows_the_data_model() {
    let source = r#"int main(void) { printf("%d %d %d %lu\n", (int)sizeof(long), (int)sizeof(void *),
        (int)sizeof(struct { char c; long long l; }), (unsigned long)-1); return 0; }"#;
    expect!["8 8 16 18446744073709551615\n"].assert_eq(&prints_in(DataModel::Lp64, source));
    expect!["4 4 12 4294967295\n"].assert_eq(&prints_in(DataModel::Ilp32, source));
}

#[test]
fn a_128_bit_product() {
    expect!["fffffffffffffffe 1 -7\n"].assert_eq(&prints_in(
        DataModel::Lp64,
        r#"int main(void) {
            unsigned __int128 x = 0xffffffffffffffffull; x *= x; __int128 y = -50; y /= 7;
            printf("%llx %llx %d\n", (unsigned long long)(x >> 64), (unsigned long long)x, (int)y);
            return 0; }"#,
    ));
}

#[test]
fn unions_pun_bytes_and_bit_fields_share_them() {
    expect![[r#"
        3f800000 63 128
        1 -1 5 1025
    "#]]
    .assert_eq(&prints(
        r#"union u { float f; unsigned i; unsigned char b[4]; };
        struct s { unsigned a : 3; int b : 5; unsigned c : 12; };
        int main(void) {
            union u u; u.f = 1; printf("%x %d %d\n", u.i, u.b[3], u.b[2]);
            struct s s = { 9, 31, 5 }; unsigned c = s.c; s.c = 1025 + 4096 * 3;
            printf("%d %d %u %d\n", s.a, s.b, c, s.c); return 0; }"#,
    ));
}

#[test]
fn records_are_values() {
    expect!["7 8 1 2 3\n"].assert_eq(&prints(
        r#"struct p { int x; char pad; int a[3]; };
        struct p make(int x) { struct p p = { x, 0, { 1, 2, 3 } }; return p; }
        int bump(struct p p) { p.x++; return p.x; }
        int main(void) { struct p p = make(7), q = p; int b = bump(q);
            printf("%d %d %d %d %d\n", q.x, b, q.a[0], p.a[1], make(0).a[2]); return 0; }"#,
    ));
}

#[test]
fn pointers_go_through_integers_unions_and_bytes() {
    expect!["5 6 7 2 1\n"].assert_eq(&prints(
        r#"int main(void) {
            int a[4] = { 5, 6, 7, 8 }; size_t n = (size_t)&a[0]; int *p = (int *)n;
            int *q; unsigned char *from = (unsigned char *)&p, *to = (unsigned char *)&q;
            for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i];
            union { int *p; size_t n; } u; u.p = q + 1; u.n += sizeof(int);
            printf("%d %d %d %d %d\n", *p, q[1], *u.p, (int)(u.p - p), u.p > p); return 0; }"#,
    ));
}

#[test]
fn calls_through_pointers_and_deep_recursion() {
    expect!["3 -1 1000000\n"].assert_eq(&prints(
        r#"int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }
        int down(int n) { return n ? 1 + down(n - 1) : 0; }
        int main(void) { int (*f[2])(int, int) = { add, sub };
            printf("%d %d %d\n", f[0](1, 2), f[1](1, 2), down(1000000)); return 0; }"#,
    ));
}

#[test]
fn variadic_functions_of_every_kind_of_argument() {
    expect!["6 2.5 120 9 6\n"].assert_eq(&prints(
        r#"struct p { int x, y, z; };
        int sum(int n, __builtin_va_list l) { int s = 0; while (n--) s += __builtin_va_arg(l, int); return s; }
        int f(int n, ...) { __builtin_va_list l, m; __builtin_va_start(l, n); __builtin_va_copy(m, l);
            int s = sum(n, l); __builtin_va_end(l); for (int i = 0; i < n; i++) (void)__builtin_va_arg(m, int);
            double d = __builtin_va_arg(m, double); char c = (char)__builtin_va_arg(m, int);
            struct p p = __builtin_va_arg(m, struct p); long double e = __builtin_va_arg(m, long double);
            printf("%d %.1f %d %d %d\n", s, d, c, p.x + p.y + p.z, (int)e); __builtin_va_end(m); return 0; }
        int main(void) { struct p p = { 2, 3, 4 }; return f(3, 1, 2, 3, 2.5, 'x', p, 6.5L); }"#,
    ));
}

#[test]
fn variable_length_arrays_and_alloca() {
    expect!["30 42 120\n"].assert_eq(&prints(
        r#"int fill(int n, int m, int a[n][m]) { int s = 0;
            for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[i][j] = i + j; s += a[i][j]; } return s; }
        int main(void) { int n = 4, m = 5; int a[n][m + 1]; int (*p)[m + 1] = a; char *c = alloca(n); c[3] = 42;
            int b[n][m]; fill(n, m, b); int t = 0; for (int i = 0; i < n; i++) t += b[i][4];
            p[2][3] = 8; printf("%d %d %d\n", t + a[2][3], c[3], (int)(sizeof a / sizeof(int) * m)); return 0; }"#,
    ));
}

#[test]
fn floats_round_to_their_type() {
    expect!["0.30000001192092896 0.3 16777216 1 -3 1\n"].assert_eq(&prints(
        r#"int main(void) { float f = 0.1f + 0.2f; double d = 0.1 + 0.2; float big = 16777217; double nan = 0.0 / 0.0;
            printf("%.17g %.1f %.0f %d %d %d\n", f, d, big, nan != nan, (int)-3.99, !(nan < 1)); return 0; }"#,
    ));
}

#[test]
fn long_double_has_64_bits_of_precision() {
    expect!["1 0 1\n"].assert_eq(&prints(
        r#"int main(void) { long double x = 9007199254740993.0L; double d = x;
            printf("%d %d %d\n", (long long)x == 9007199254740993LL, d == x, 1.0L / 3 != 1.0 / 3); return 0; }"#,
    ));
}

#[test]
fn goto_switch_and_lifetimes_of_locals() {
    expect!["0 1 2 then 12 3\n"].assert_eq(&prints(
        r#"int main(void) { int i = 0, k = 0;
            again: { int fresh = i; printf("%d ", fresh); } if (++i < 3) goto again;
            for (i = 0; i < 4; i++) switch (i) { case 0: k += 1; case 1: k += 4; break; default: k += 1; continue; }
            printf("then %d ", k + 1); { int a[2]; a[1] = 3; int *p = a; k = p[1]; } printf("%d\n", k); return 0; }"#,
    ));
}

#[test]
fn printf_family_and_strings() {
    expect![[r#"
        [   -7|0x1f|017|+3.50e+00|c|hel|5%]
        10 hello, wo
        wor 1 0 (null) 12
    "#]]
    .assert_eq(&prints(
        r#"int main(void) { char b[10], *p; int n;
            printf("[%5d|%#x|%#o|%+.2e|%c|%.3s|%d%%]\n", -7, 31, 15, 3.5, 'c', "hello", 5);
            n = snprintf(b, sizeof b, "%s, %s", "hello", "wor"); printf("%d %s\n", n, b);
            p = malloc(16); strcpy(p, "hello"); strcat(p, ", world"); n = (int)strlen(p);
            p[10] = 0; printf("%s %d %d %s %d\n", strchr(p, 'w'), strcmp("b", "a"), memcmp("ab", "ab", 2), (char *)0, n);
            free(p); return 0; }"#,
    ));
}
