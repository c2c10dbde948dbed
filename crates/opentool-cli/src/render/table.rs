//! A small table: columns under headings, narrowed to the width of the terminal.

use anstyle::Style;

use super::text::{shorten, width};
use crate::console::FAINT;

const GAP: usize = 2;

/// A column of a table.
pub(crate) struct Column {
    heading: &'static str,
    /// What is left of it when the terminal is narrow.
    least: usize,
    /// What it takes at most, however wide the terminal.
    most: usize,
    style: Style,
}

impl Column {
    /// A column that keeps its width when the terminal is narrow.
    pub(crate) fn whole(heading: &'static str, style: Style) -> Self {
        Self { heading, least: usize::MAX, most: usize::MAX, style }
    }

    /// A column that may be narrowed to `least`.
    pub(crate) fn narrowed(heading: &'static str, least: usize) -> Self {
        Self { heading, least, most: usize::MAX, style: Style::new() }
    }

    /// A column that never takes more than `most`. One long cell pads every row, so what others wrote needs a limit
    /// in all columns but the last.
    pub(crate) fn most(self, most: usize) -> Self {
        Self { most, ..self }
    }
}

/// The table, no wider than `limit` as far as the columns allow. Cells are one line each.
pub(crate) fn table(columns: &[Column], rows: &[Vec<String>], limit: Option<usize>) -> String {
    let (widths, _) = widths(columns, rows, limit);
    draw(columns, rows, &widths)
}

/// The same, or `None` where even the least of its columns is wider than `limit`.
pub(crate) fn fitting(columns: &[Column], rows: &[Vec<String>], limit: Option<usize>) -> Option<String> {
    let (widths, fit) = widths(columns, rows, limit);
    (fit == Fit::Fits).then(|| draw(columns, rows, &widths))
}

/// Whether columns could be made narrow enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Fits,
    TooWide,
}

fn widths(columns: &[Column], rows: &[Vec<String>], limit: Option<usize>) -> (Vec<usize>, Fit) {
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let cells = rows.iter().filter_map(|row| row.get(i)).map(|cell| width(cell));
            cells.max().unwrap_or(0).min(column.most).max(width(column.heading))
        })
        .collect();
    if let Some(limit) = limit {
        let room = limit.saturating_sub(GAP * columns.len().saturating_sub(1));
        narrow(&mut widths, columns, room);
        if widths.iter().sum::<usize>() > room {
            return (widths, Fit::TooWide);
        }
    }
    (widths, Fit::Fits)
}

fn draw(columns: &[Column], rows: &[Vec<String>], widths: &[usize]) -> String {
    let mut text = String::new();
    let headings: Vec<String> = columns.iter().map(|column| column.heading.to_owned()).collect();
    push_row(&mut text, &headings, widths, |_| FAINT);
    for row in rows {
        push_row(&mut text, row, widths, |i| columns.get(i).map_or(Style::new(), |column| column.style));
    }
    text
}

/// Takes columns away from the widest one that has some to give, until all fit or none has.
fn narrow(widths: &mut [usize], columns: &[Column], room: usize) {
    loop {
        let excess = widths.iter().sum::<usize>().saturating_sub(room);
        let spare = |(width, column): (&mut usize, &Column)| width.saturating_sub(column.least);
        let most = widths
            .iter_mut()
            .zip(columns)
            .filter(|(width, column)| **width > column.least)
            .max_by_key(|(width, _)| **width);
        let Some((width, column)) = most.filter(|_| excess > 0) else { return };
        // In small steps, so that two wide columns share the loss.
        *width -= excess.min(4).min(spare((width, column)));
    }
}

fn push_row(text: &mut String, cells: &[String], widths: &[usize], style: impl Fn(usize) -> Style) {
    let last = cells.len().saturating_sub(1);
    for (i, (cell, limit)) in cells.iter().zip(widths).enumerate() {
        let cell = shorten(cell, *limit);
        let pad = if i == last { 0 } else { limit.saturating_sub(width(&cell)).saturating_add(GAP) };
        let style = style(i);
        text.push_str(&format!("{style}{cell}{style:#}"));
        text.push_str(&" ".repeat(pad));
    }
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::{Column, fitting, table};

    fn plain(limit: Option<usize>) -> String {
        let columns = [
            Column::whole("NAME", Style::new()),
            Column::narrowed("ARGS", 6),
            Column::narrowed("DESCRIPTION", 8),
        ];
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["getPet", "petId", "Finds a pet by its number and shows it."]),
            row(["a", "one, two, three, four", "日本語の説明"]),
        ];
        anstream::adapter::strip_str(&fitting(&columns, &rows, limit).unwrap_or_default()).to_string()
    }

    #[test]
    fn without_a_limit_nothing_is_shortened() {
        let expected = [
            "NAME    ARGS                   DESCRIPTION",
            "getPet  petId                  Finds a pet by its number and shows it.",
            "a       one, two, three, four  日本語の説明",
        ];
        assert_eq!(plain(None).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn no_cell_pads_all_rows_beyond_the_limit_of_its_column() {
        let columns = [Column::whole("NAME", Style::new()).most(8), Column::narrowed("ARGS", 4)];
        let rows = [vec!["n".repeat(1_000), "a".to_owned()], vec!["m".to_owned(), "b".to_owned()]];
        let shown = anstream::adapter::strip_str(&table(&columns, &rows, None)).to_string();
        let expected = ["NAME      ARGS", "nnnnnnn…  a", "m         b"];
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn columns_give_way_and_names_do_not() {
        let shown = plain(Some(40));
        assert!(shown.lines().all(|line| super::width(line) <= 40), "{shown}");
        assert!(shown.contains("getPet"), "{shown}");
        assert_eq!(plain(Some(1)), "", "no table is better than one that wraps");
    }
}
