// SPDX-License-Identifier: MIT
// Days of the Gregorian calendar as numbers yyyymmdd.
#ifndef MCO_PATHS_TRANSIT_DATE_H
#define MCO_PATHS_TRANSIT_DATE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool date_is_leap(int32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// Whether the day exists, in the years 1900 to 2199.
static inline bool date_is_valid(int32_t date)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int32_t year = date / 10000, month = date / 100 % 100, day = date % 100;
    return year >= 1900 && year <= 2199 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && date_is_leap(year));
}

// Days since 1899-12-31, which was a Sunday.
static inline int32_t date_to_number(int32_t date)
{
    static const int16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const int32_t year = date / 10000, month = date / 100 % 100, last = year - 1;
    const int32_t leaps = last / 4 - last / 100 + last / 400 - (1899 / 4 - 1899 / 100 + 1899 / 400);
    return 365 * (year - 1900) + leaps + before[month - 1] + (month > 2 && date_is_leap(year)) + date % 100;
}

// 0: Monday.
static inline int date_weekday(int32_t date)
{
    return (int)((date_to_number(date) + 6) % 7);
}

// The day `days` later, or earlier if negative. Takes as many steps.
static inline int32_t date_add(int32_t date, int32_t days)
{
    for (; days > 0; days--) {
        date++;
        if (!date_is_valid(date))
            date = date / 100 * 100 + 101;
        if (!date_is_valid(date))
            date = (date / 10000 + 1) * 10000 + 101;
    }
    for (; days < 0; days++) {
        date--;
        if (date % 100 == 0) {
            date += date / 100 % 100 == 1 ? -10000 + 1131 : -100 + 31;  // 31 December, or the 31st of the month before
            while (!date_is_valid(date) && date % 100 > 28)
                date--;
        }
    }
    return date;
}

#endif
