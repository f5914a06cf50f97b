//! The generator: its programs repeat, load, are free of undefined behaviour, and some are safe and some not.

use expect_test::expect;
use summa_testkit::{Truth, automata, generate, generate_recursive, minimise, truth};

#[test]
fn a_seed_is_a_program() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7), generate(8));
}

#[test]
fn programs_mean_something_and_differ_in_truth() {
    let (mut safe, mut error, mut unknown) = (0, 0, Vec::new());
    for seed in 0..400 {
        match truth(&automata(&generate(seed))) {
            Truth::Safe => safe += 1,
            Truth::Error => error += 1,
            Truth::Unknown(why) => unknown.push((seed, why)),
        }
    }
    let undefined = unknown.iter().find(|(_, why)| !why.starts_with("too many"));
    assert_eq!(undefined, None);
    assert!(safe > 100 && error > 100 && unknown.len() < 20, "{safe} safe, {error} not, {unknown:?}");
}

#[test]
fn programs_about_recursion_mean_something() {
    let (mut safe, mut error, mut unknown) = (0, 0, Vec::new());
    for seed in 0..200 {
        match truth(&automata(&generate_recursive(seed))) {
            Truth::Safe => safe += 1,
            Truth::Error => error += 1,
            Truth::Unknown(why) => unknown.push((seed, why)),
        }
    }
    let undefined = unknown.iter().find(|(_, why)| !why.starts_with("too many"));
    assert_eq!(undefined, None);
    assert!(safe > 50 && error > 50 && unknown.len() < 20, "{safe} safe, {error} not, {unknown:?}");
}

#[test]
fn truth_knows_what_inputs_it_may_not_enumerate() {
    let of = |body: &str| {
        truth(&automata(&format!(
            "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); \
             extern void reach_error(void);
             int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
        )))
    };
    assert_eq!(of("__VERIFIER_assume(x >= 0 && x <= 3); if (x == 4) reach_error();"), Truth::Safe);
    assert_eq!(of("__VERIFIER_assume(x >= 0 && x <= 3); if (x == 3) reach_error();"), Truth::Error);
    assert_eq!(of("if (x == 2) reach_error();"), Truth::Unknown("inputs that are not restricted"));
    assert_eq!(
        of("__VERIFIER_assume(x >= 0); if (x == 2) reach_error();"),
        Truth::Unknown("inputs that are not restricted")
    );
    assert_eq!(
        of("int y = __VERIFIER_nondet_int(); __VERIFIER_assume(y == 0); __VERIFIER_assume(x == 0);"),
        Truth::Unknown("inputs that are not restricted")
    );
    assert_eq!(
        of("__VERIFIER_assume(x == 1); int y; if (y) reach_error();"),
        Truth::Unknown("something that is no input is not determined")
    );
    assert_eq!(of("__VERIFIER_assume(x == 1); while (x) { }"), Truth::Unknown("too many steps"));
}

#[test]
fn what_is_not_needed_goes() {
    let text = "int f(int a) {\n  return (a + 1);\n}\nint main(void) {\n  int x = (1 + (2 * 3));\n  while \
        (x < 9) {\n    x++;\n  }\n  y = (x - (7 + 4));\n}";
    let least = minimise(text, &mut |text| text.contains("x++") && text.contains('7'));
    expect![[r#"
        x++;
          y = 7;"#]]
    .assert_eq(least.trim());
}
