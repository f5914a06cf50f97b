//! The inputs of an execution as a test case in the exchange format of the competition on software testing: a
//! folder with `metadata.xml` and one file for each test.

use crate::metadata::Metadata;
use crate::xml::escaped;
use summa_cfa::{Cfa, HavocSource};
use summa_interp::{InputOrigin, InputRecord, InputValue};

const TEST_TYPE: &str = "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
                         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">";
const METADATA_TYPE: &str = "<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format \
                             test-metadata 1.1//EN\" \
                             \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">";
const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>";

/// The files of the suite: names and texts.
pub fn test_suite(cfa: &Cfa, inputs: &[InputRecord], metadata: &Metadata) -> Vec<(String, String)> {
    vec![
        ("metadata.xml".to_owned(), describe(cfa, metadata)),
        ("testcase-1.xml".to_owned(), test_case(cfa, inputs)),
    ]
}

/// The values that the program asked for, in order.
pub fn test_case(cfa: &Cfa, inputs: &[InputRecord]) -> String {
    let mut text = format!("{HEADER}\n{TEST_TYPE}\n<testcase coversError=\"true\">\n");
    for input in inputs {
        let InputOrigin::Havoc(HavocSource::Input(function)) = input.request.origin else { continue };
        let program = &cfa.program;
        let ty = program.types.function_type(program.functions[function].ty).map(|function| function.result);
        let name = ty.map(|ty| program.types.declare(ty, "", &program.names)).unwrap_or_default();
        let value = match input.value() {
            InputValue::Bits(bits) => decimal(input, bits),
            InputValue::Int(_) | InputValue::Float(_) => input.to_string(),
        };
        text.push_str(&format!("  <input type=\"{}\">{}</input>\n", escaped(&name), escaped(&value)));
    }
    text.push_str("</testcase>\n");
    text
}

/// The shortest decimal number that is read as the same `float` or `double`; hexadecimal for longer formats.
fn decimal(input: &InputRecord, bits: u128) -> String {
    match input.request.scalar {
        summa_interp::Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        summa_interp::Scalar::F64 => format!("{:?}", f64::from_bits(bits as u64)),
        _ => crate::constant::of_input(input),
    }
}

fn describe(cfa: &Cfa, metadata: &Metadata) -> String {
    let file = metadata.files.first();
    let rows = [
        ("sourcecodelang", "C".to_owned()),
        ("producer", metadata.producer()),
        ("specification", metadata.specification.clone()),
        ("programfile", file.map(|file| file.name.clone()).unwrap_or_default()),
        ("programhash", file.map(|file| file.hash.clone()).unwrap_or_default()),
        ("entryfunction", cfa.program.func_name(cfa.main).to_owned()),
        ("architecture", metadata.architecture().to_owned()),
        ("creationtime", metadata.creation_time.clone()),
    ];
    let mut text = format!("{HEADER}\n{METADATA_TYPE}\n<test-metadata>\n");
    for (name, value) in rows {
        text.push_str(&format!("  <{name}>{}</{name}>\n", escaped(&value)));
    }
    text.push_str("</test-metadata>\n");
    text
}
