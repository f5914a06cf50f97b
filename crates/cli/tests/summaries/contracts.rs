//! Contracts as `summa summaries` prints them.

use super::{HEAD, folder, support};
use expect_test::{Expect, expect};

fn contracts(name: &str, arguments: &str, program: &str, expected: Expect) {
    let folder = folder(name);
    support::file_in(&folder, "program.c", &format!("{HEAD}{program}"));
    let output = support::command(&folder, &format!("summaries {arguments} program.c")).output().unwrap();
    support::expect_output(&output, 0, expected);
}

const BANK: &str = "int balance;
int clamp(int x) { if (x < 0) return 0; return x; }
int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }
void deposit(unsigned amount) { if (amount < 100) balance = balance + amount; }
int main(void) {
  balance = 10;
  deposit(5);
  if (balance != 15 || fact(3) != 6) reach_error();
  if (clamp(__VERIFIER_nondet_int()) < 0) reach_error();
  return 0;
}
";

#[test]
fn contracts_of_values() {
    contracts(
        "values",
        "--config value-bam-rec --only fact",
        BANK,
        expect![[r#"
            /*@ // used by main (program.c:10)
                requires n == 3;
                ensures \result == 6;
            */
            /*@ // used by fact (program.c:5)
                requires n == 2;
                ensures \result == 2;
            */
            /*@ // used by fact (program.c:5)
                requires n == 1;
                ensures \result == 1;
            */
            int fact(int n);
        "#]],
    );
    contracts(
        "values",
        "--config value-bam-rec --only deposit",
        BANK,
        expect![[r#"
            /*@ // used by main (program.c:9)
                requires balance == 10 && amount == 5;
                ensures balance == 15;
            */
            void deposit(unsigned int amount);
        "#]],
    );
}

#[test]
fn contracts_of_intervals() {
    contracts(
        "intervals",
        "--config interval-bam-rec --only clamp",
        BANK,
        expect![[r#"
            /*@ // used by main (program.c:11)
                requires \true;
                ensures (0 <= \result && 0 <= \old(x))
                     || (\result == 0 && \old(x) <= -1);
            */
            int clamp(int x);
        "#]],
    );
}

#[test]
fn contracts_of_predicates() {
    contracts(
        "formulas",
        "--config predicate-bam-rec --encoding int --only clamp",
        BANK,
        expect![[r#"
            /*@ // used by main (program.c:11)
                requires \true;
                ensures (0 <= \result);
            */
            int clamp(int x);
        "#]],
    );
    contracts(
        "formulas",
        "--config predicate-bam-rec --encoding bitvector --only clamp",
        BANK,
        expect![[r#"
            /*@ // used by main (program.c:11)
                requires \true;
                ensures (0 <= \result);
            */
            int clamp(int x);
        "#]],
    );
}

#[test]
fn contracts_as_json() {
    contracts(
        "json",
        "--config value-bam-rec --only deposit --format json",
        BANK,
        expect![[r#"
        {
          "functions": [
            {
              "contracts": [
                {
                  "calls": [
                    {
                      "caller": "main",
                      "file": "program.c",
                      "line": 9
                    }
                  ],
                  "complete": true,
                  "ensures": [
                    [
                      {
                        "c": "balance == 15"
                      }
                    ]
                  ],
                  "requires": [
                    {
                      "c": "balance == 10"
                    },
                    {
                      "c": "amount == 5"
                    }
                  ],
                  "safe": true
                }
              ],
              "function": "deposit",
              "signature": "void deposit(unsigned int amount)"
            }
          ],
          "verdict": "UNKNOWN(the analysis is not precise enough to exclude an error)"
        }
    "#]],
    );
}
