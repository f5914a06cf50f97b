//! The line at the bottom of a terminal that says what a long run is doing.
//!
//! It is rewritten in place a few times a second, and removed before anything else is printed: code that
//! prints removes it first. There is none if standard error is no terminal.

use crate::known::Known;
use crate::output::Output;
use crate::process::memory_in_use;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// Short runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is written, and how often an event goes to programs.
const PERIOD: Duration = Duration::from_millis(200);
const EVENT_PERIOD: Duration = Duration::from_secs(1);
/// Wider lines would wrap and could not be removed.
const DEFAULT_WIDTH: usize = 79;

/// The state of the line, shared by all code that prints.
static LINE: Mutex<Line> = Mutex::new(Line { is_shown: false, run: 0 });

#[derive(Debug)]
struct Line {
    is_shown: bool,
    /// Incremented whenever the line is started or stopped, so that older threads end.
    run: u64,
}

/// While this guard is held, the line is not drawn. Take it before printing.
pub(crate) struct Hidden {
    _line: MutexGuard<'static, Line>,
}

/// Removes the line until the returned guard is dropped.
pub(crate) fn hide() -> Hidden {
    let mut line = LINE.lock().unwrap_or_else(|broken| broken.into_inner());
    if std::mem::replace(&mut line.is_shown, false) {
        let _ = std::io::stderr().write_all(b"\r\x1b[K");
    }
    Hidden { _line: line }
}

/// Stops the line before the verdict.
pub(crate) fn stop() {
    let mut hidden = hide();
    hidden._line.run += 1;
}

/// Shows the board from a thread of its own, until `stop`.
pub(crate) fn start(known: Arc<OnceLock<Known>>, output: Output, is_quiet: bool) {
    let has_terminal = std::io::stderr().is_terminal() && !is_quiet;
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let draws = has_terminal && !is_dumb;
    if !draws && !output.wants_progress() {
        return;
    }
    let mut hidden = hide();
    hidden._line.run += 1;
    let run = hidden._line.run;
    drop(hidden);
    let started = Instant::now();
    // Without the thread, nothing is shown.
    let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
        std::thread::sleep(PATIENCE);
        let mut last_event: Option<Instant> = None;
        loop {
            let members = members(known.get(), started.elapsed());
            if last_event.is_none_or(|last| last.elapsed() >= EVENT_PERIOD) {
                last_event = Some(Instant::now());
                if !is_current(run) {
                    return;
                }
                // The time is part of every event.
                output.progress(members.get(..members.len() - 1).unwrap_or(&[]));
            }
            let mut line = LINE.lock().unwrap_or_else(|broken| broken.into_inner());
            if line.run != run {
                return;
            }
            if draws {
                let text = cut(&text(&members), width());
                line.is_shown = std::io::stderr().write_all(format!("\r\x1b[K{text}").as_bytes()).is_ok();
            }
            drop(line);
            std::thread::sleep(PERIOD);
        }
    });
}

fn is_current(run: u64) -> bool {
    LINE.lock().unwrap_or_else(|broken| broken.into_inner()).run == run
}

/// What is known, as names with values.
fn members(known: Option<&Known>, elapsed: Duration) -> Vec<(&'static str, String)> {
    let mut members =
        known.map_or_else(|| vec![("phase", "reading and executing the program".to_owned())], Known::members);
    members.extend(memory_in_use().map(|bytes| ("megabytes", (bytes >> 20).to_string())));
    members.push(("seconds", elapsed.as_secs().to_string()));
    members
}

/// The members as one line: `14 s · 210 MB · predicate: refining · 12 refinements · 340 states`.
fn text(members: &[(&'static str, String)]) -> String {
    let value =
        |name: &str| members.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str());
    let mut parts: Vec<String> = Vec::new();
    parts.extend(value("seconds").map(|number| format!("{number} s")));
    parts.extend(value("megabytes").map(|number| format!("{number} MB")));
    let work: Vec<&str> = ["engine", "phase"].iter().filter_map(|name| value(name)).collect();
    parts.push(work.join(": "));
    parts.extend(value("bound").map(|number| format!("bound {number}")));
    for name in ["refinement", "state"] {
        let number = value(&format!("{name}s"));
        parts.extend(number.map(|number| format!("{number} {name}{}", if number == "1" { "" } else { "s" })));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Not wider than the terminal.
fn cut(text: &str, width: usize) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut cut: String = printable.clone().take(width).collect();
    if printable.count() > width {
        cut.pop();
        cut.push('…');
    }
    cut
}

/// The width of the terminal, if the shell sets it.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    columns.filter(|&columns| columns > 1).map_or(DEFAULT_WIDTH, |columns| columns - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let members = [
            ("engine", "predicate".to_owned()),
            ("phase", "refining\n".to_owned()),
            ("bound", "3".to_owned()),
            ("refinements", "12".to_owned()),
            ("megabytes", "210".to_owned()),
            ("seconds", "14".to_owned()),
        ];
        let line = text(&members);
        assert_eq!(cut(&line, 200), "14 s · 210 MB · predicate: refining  · bound 3 · 12 refinements");
        assert_eq!(cut(&line, 10), "14 s · 21…");
    }

    #[test]
    fn whoever_stopped_it_is_obeyed() {
        let run = LINE.lock().unwrap().run;
        assert!(is_current(run));
        stop();
        assert!(!is_current(run));
        drop(hide());
    }
}
